"""Controls whose sink is a server: killed between their messages, convicted or not."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.servers.kafka import broker
from scripts.servers.loopback import UnavailableError
from scripts.servers.postgres import PASSWORD, USER, PostgresServer, postgres_server

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.core.crash.event import tell_nobody

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(gate_obstacle() is not None, reason=f"no gate: {gate_obstacle()}"),
    pytest.mark.timeout(600),
]
STOCK = Path(__file__).with_name("stock_job.py")
LITTLE = Path(__file__).with_name("little_kafka_job.py")
STAGE = "K8"
"""The commit was sent, and there is no answer yet."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    try:
        with postgres_server() as running:
            yield running
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def kafka() -> Iterator[str]:
    try:
        with broker(partitions=1) as address:
            yield address
    except UnavailableError as error:
        pytest.skip(str(error))


def audited(subject: Subject, place: Path, **more: str) -> Audited:
    wishes = Wishes(points=(STAGE,), runs=1, seed=3, run_twice=False)
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable, **more}
    return begin(subject, folder=str(place), wishes=wishes, environ=environ, tell=tell_nobody)


def outcome(done: Audited) -> tuple[str, int]:
    (found,) = done.outcomes
    assert found.comparison is not None
    assert found.comparison.lost == 0
    return found.kind, found.comparison.duplicated


@pytest.mark.spark
@pytest.mark.parametrize(
    ("kind", "expected"), [("postgres-append", ("wrong", 20)), ("postgres-once", ("exact", 0))]
)
def test_spark_to_postgres_dies_between_commit_and_answer(
    tmp_path: Path, postgres: PostgresServer, kind: str, expected: tuple[str, int]
) -> None:
    subject = Subject(
        command=f"{sys.executable} {STOCK} {kind} {{work}}",
        checkpoint="{work}/checkpoint",
        read=f"postgres:{postgres.url}?table={{run}}",
        through=(f"postgres=127.0.0.1:{postgres.port}",),
    )
    done = audited(subject, tmp_path / "audit", PGUSER=USER, PGPASSWORD=PASSWORD)
    assert outcome(done) == expected
    per_batch = {point.text for point in done.points if point.batch == 1}
    assert {"message pg:CopyDone", "message pg:Query COMMIT", "answer pg:COMMIT"} <= per_batch
    steps = [point for point in done.points if point.key.area == "steps"]
    assert [point.key.name[4:] for point in steps] == ["called", "returned"] * done.batches


@pytest.mark.parametrize("mode", ["append", "once"])
def test_a_producer_dies_between_commit_and_answer(tmp_path: Path, kafka: str, mode: str) -> None:
    """The broker advertises its own address: that its messages are seen shows they are led here."""
    subject = Subject(
        command=f"{sys.executable} {LITTLE} {{work}}/ck {mode} {{proxy}} {{run}}",
        checkpoint="{work}/ck",
        read=f"kafka:{kafka}/{{run}}",
        through=(f"kafka={kafka}",),
    )
    done = audited(subject, tmp_path / "audit")
    kind, duplicated = outcome(done)
    # How many records go into the first request is the client's to decide.
    assert (kind, duplicated > 0) == (("wrong", True) if mode == "append" else ("exact", False))
    ends = "kafka:EndTxn" if mode == "once" else "kafka:Produce"
    assert {f"message {ends}", f"answer {ends}"} <= {point.text for point in done.points}
