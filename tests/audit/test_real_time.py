"""Real-time mode: rows leave before anything is planned, and leave twice after a kill."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.jars.fetch import FetchError, jars
from scripts.servers.kafka import broker
from scripts.servers.loopback import UnavailableError

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.core.crash.event import tell_nobody
from holdfast.core.crash.point import Key, Point

pytestmark = pytest.mark.skipif(gate_obstacle() is not None, reason=f"no gate: {gate_obstacle()}")
JOB = Path(__file__).with_name("real_time_job.py")
LITTLE = Path(__file__).with_name("little_real_time_job.py")
ROWS_A_PIECE = 20


def audited(subject: Subject, place: Path, point: str, **more: str) -> Audited:
    wishes = Wishes(points=(point,), runs=1, seed=3, run_twice=False)
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable, **more}
    return begin(subject, folder=str(place), wishes=wishes, environ=environ, tell=tell_nobody)


def test_a_job_that_never_ends_is_idle_when_its_batches_read_nothing(tmp_path: Path) -> None:
    subject = Subject(
        command=f"{sys.executable} {LITTLE} {{work}}/ck {{work}}/out.db",
        checkpoint="{work}/ck",
        read="sqlite:{work}/out.db?table=t",
        ignore=("told",),
        settle_s=1.0,
    )
    done = audited(subject, tmp_path / "audit", "K17")
    assert done.batches > 3, "batches without rows went on until it was taken for done"
    (outcome,) = done.outcomes
    assert (outcome.kind, outcome.point.stage) == ("wrong", "K17")
    assert outcome.comparison is not None
    assert (outcome.comparison.lost, outcome.comparison.duplicated) == (0, 3)
    assert {point.stage for point in done.points if point.batch == 1} >= {"K16", "K17"}
    assert {point.stage for point in done.points if point.batch == 4} <= {"K11", "K15"}


@pytest.fixture(scope="module")
def kafka() -> Iterator[str]:
    try:
        with broker(partitions=1) as address:
            yield address
    except (FetchError, UnavailableError) as error:
        pytest.skip(str(error))


@pytest.mark.spark
@pytest.mark.server
@pytest.mark.timeout(600)
@pytest.mark.skipif("HOLDFAST_SOAK" not in os.environ, reason="long: set HOLDFAST_SOAK=1")
def test_spark_in_real_time_mode_is_convicted(tmp_path: Path, kafka: str) -> None:
    """Killed when its rows are out and no plan is there: the next life reads them once more."""
    subject = Subject(
        command=f"{sys.executable} {JOB} {{work}}",
        checkpoint="{work}/checkpoint",
        read=f"kafka:{kafka}/{{run}}",
        through=(f"kafka={kafka}",),
    )
    servers = {"JARS": jars("lake"), "KAFKA_SERVERS": kafka}
    # Not one of batch 0: cut off in its first plan, Spark would not even start again.
    key = Key(area="checkpoint", call="rename", name="offsets/1", batch=None, nth=1)
    aim = Point(number=1, stage="K16", batch=1, key=key).name
    done = audited(subject, tmp_path / "audit", aim, **servers)
    assert done.verdict.kind == "convicted"
    (outcome,) = done.outcomes
    assert (outcome.kind, outcome.point.stage) == ("wrong", "K16")
    assert outcome.comparison is not None
    rows = outcome.comparison
    # How many records go into the first request is the client's to decide.
    assert (rows.lost, rows.unexpected, 0 < rows.duplicated <= ROWS_A_PIECE) == (0, 0, True)
    stages = [point.stage for point in done.points if point.batch == 1]
    assert stages[0] == "K11", "the commit before it"
    assert stages[-9] == "K6", "the first record, which has not left yet"
    assert stages[-8:] == ["K16"] * 4 + ["K17"] * 4
