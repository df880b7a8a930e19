"""The controls that need jars and a broker: Delta and Kafka."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from scripts.jars.fetch import FetchError, folder, jars
from scripts.servers.kafka import broker
from scripts.servers.loopback import UnavailableError

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.core.crash.event import tell_nobody
from tests.audit.declared_project import JOB, write_project

pytestmark = [
    pytest.mark.spark,
    pytest.mark.server,
    pytest.mark.skipif(gate_obstacle() is not None, reason=f"no gate: {gate_obstacle()}"),
    pytest.mark.timeout(600),
]
STOCK = Path(__file__).with_name("stock_job.py")
STAGE = "K10"
"""The sink has the batch, Spark does not know it yet."""


@pytest.fixture(scope="module")
def environ() -> dict[str, str]:
    try:
        lake = {"JARS": jars("lake"), "HOLDFAST_JARS": str(folder("lake"))}
    except FetchError as error:
        pytest.skip(str(error))
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, **lake}


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    try:
        with broker() as running:
            yield running
    except (FetchError, UnavailableError) as error:
        pytest.skip(str(error))


def audited(subject: Subject, place: Path, environ: dict[str, str]) -> Audited:
    wishes = Wishes(points=(STAGE,), runs=1, seed=3, run_twice=False)
    return begin(subject, folder=str(place), wishes=wishes, environ=environ, tell=tell_nobody)


def program(kind: str, read: str) -> Subject:
    command = f"{sys.executable} {STOCK} {kind} {{work}}"
    return Subject(command=command, checkpoint="{work}/checkpoint", read=read)


def duplicated(done: Audited) -> int:
    (outcome,) = done.outcomes
    assert outcome.kind == "wrong"
    assert outcome.comparison is not None
    assert outcome.comparison.lost == 0
    return outcome.comparison.duplicated


def test_delta_without_a_transaction_id_is_convicted(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    done = audited(program("delta-append", "delta:{work}/out"), tmp_path / "audit", environ)
    assert done.verdict.kind == "convicted"
    assert duplicated(done) == 20


def test_sparks_kafka_sink_is_convicted(
    tmp_path: Path, environ: dict[str, str], servers: str
) -> None:
    """Killed when the broker has the records, and the producer does not know it yet."""
    subject = program("kafka-sink", f"kafka:{servers}/{{run}}")
    subject = replace(subject, through=(f"kafka={servers}",))
    wishes = Wishes(points=("K8",), runs=1, seed=3, run_twice=False)
    done = begin(
        subject, folder=str(tmp_path / "audit"), wishes=wishes, environ=environ, tell=tell_nobody
    )
    assert done.verdict.kind == "convicted"
    assert 0 < duplicated(done) <= 20


def test_deltas_own_sink_is_not_convicted(tmp_path: Path, environ: dict[str, str]) -> None:
    file = write_project(tmp_path / "project", "delta")
    done = audited(Subject(job=JOB, file=str(file)), tmp_path / "audit", environ)
    assert [outcome.kind for outcome in done.outcomes] == ["exact"]
