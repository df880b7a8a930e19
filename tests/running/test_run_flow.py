"""What `run` does around queries: refuse, restart, stop, record. The engine is a fake one."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.records.opening import open_records
from holdfast.core.job import Declaration
from holdfast.core.running import backoff
from holdfast.core.running.event import Ended, Progressed, Restarting, RunEvent, Started, Unrecorded
from holdfast.core.running.failure import Failure
from holdfast.core.running.run import RunResult
from holdfast.core.secret_text import SecretText
from holdfast.errors import (
    EngineLostError,
    FencedError,
    HoldfastError,
    UnreachableError,
    UsageError,
)
from holdfast.flows.lease import acquire
from holdfast.flows.prepare import Surrounding, prepare_or_raise
from holdfast.flows.run import exit_code, run
from holdfast.flows.supervise import StopSignal, Supervisor
from tests.running.fake_engine import QUERY_ID, FakeEngine, FakeQuery, declared, job_named

PASSING = Failure(
    code="HF023", cause="Connection refused", passing=True, fenced=False, next_action="wait"
)
LASTING = Failure(
    code="HF023", cause="division by zero", passing=False, fenced=False, next_action="mend"
)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "FIRST_WAIT_S", 0.001)


@pytest.fixture
def base(tmp_path: Path) -> str:
    return str(tmp_path / "checkpoints")


def ran(
    declaration: Declaration,
    engine: FakeEngine,
    *names: str,
    once: bool = True,
    stop: StopSignal | None = None,
    tell: Callable[[RunEvent], None] | None = None,
) -> tuple[RunResult, ...]:
    return run(
        declaration,
        names,
        stop or StopSignal(),
        once=once,
        tell=tell or (lambda event: None),
        engine=lambda _: engine,
    )


def records_of(base: str, job: str) -> dict[str, Any]:
    records = open_records(f"{base}/{job}")
    found = {}
    for name in records.names("runs"):
        content = records.read(f"runs/{name}")
        assert content is not None
        found[name.lstrip("0")] = json.loads(content)
    return found


def test_a_run_is_told_and_written_down(base: str) -> None:
    events: list[RunEvent] = []
    engine = FakeEngine({"a": [FakeQuery(batches=2, looks_until_end=2)]})
    (result,) = ran(declared(base, "a"), engine, tell=events.append)
    assert (result.end, result.batches, result.rows, result.last_batch) == ("drained", 2, 20, 1)
    assert result.epoch == 1 and result.query_id == QUERY_ID and engine.closed
    kinds = [type(event) for event in events if isinstance(event, Started | Progressed | Ended)]
    assert kinds == [Started, Progressed, Progressed, Ended]
    written = records_of(base, "a")
    assert set(written) == {"1.start", "1.fingerprint", "1.end"}
    assert written["1.start"]["spark_version"] == "0" and written["1.start"]["once"] is True
    assert written["1.end"]["end"] == "drained"
    assert written["1.fingerprint"]["sources"][0]["provider"] == "rate"
    identity = open_records(f"{base}/a").read("identity.json")
    assert identity is not None and json.loads(identity)["query_id"] == QUERY_ID


def test_a_cause_that_can_pass_is_waited_out(base: str) -> None:
    events: list[RunEvent] = []
    queries = [FakeQuery(batches=0, failing=PASSING), FakeQuery(batches=0, failing=PASSING)]
    engine = FakeEngine({"a": [*queries, FakeQuery(batches=1)]})
    (result,) = ran(declared(base, "a"), engine, tell=events.append)
    assert (result.end, result.restarts, exit_code((result,))) == ("drained", 2, 0)
    told = [event.restart for event in events if isinstance(event, Restarting)]
    assert [restart.cause for restart in told] == ["Connection refused"] * 2
    assert told[1].wait_ms >= told[0].wait_ms
    assert set(records_of(base, "a")) >= {"1.restart-0001", "1.restart-0002", "1.end"}


def test_a_start_that_fails_from_a_passing_cause_is_tried_again(base: str) -> None:
    away = UnreachableError("the broker is away")
    engine = FakeEngine({"a": [away, FakeQuery(batches=1)]})
    (result,) = ran(declared(base, "a"), engine)
    assert (result.end, result.restarts) == ("drained", 1)


def test_with_once_somebody_waits_so_attempts_are_counted(base: str) -> None:
    away: list[FakeQuery | HoldfastError] = [UnreachableError("away") for _ in range(10)]
    (result,) = ran(declared(base, "a"), FakeEngine({"a": away}))
    assert (result.end, result.code, result.restarts) == ("failed", "HF007", 3)
    assert exit_code((result,)) == 2


def test_progress_between_failures_begins_the_count_anew(base: str) -> None:
    failing = [FakeQuery(batches=1, first=n, failing=PASSING) for n in range(8)]
    engine = FakeEngine({"a": [*failing, FakeQuery(batches=1, first=8)]})
    (result,) = ran(declared(base, "a"), engine)
    assert (result.end, result.restarts, result.last_batch) == ("drained", 8, 8)


def test_a_lasting_cause_is_left_down_and_the_others_go_on(base: str) -> None:
    engine = FakeEngine({"a": [FakeQuery(batches=0, failing=LASTING)], "b": [FakeQuery(batches=3)]})
    results = ran(declared(base, "a", "b"), engine)
    assert [result.end for result in results] == ["failed", "drained"]
    assert results[0].cause == "division by zero" and results[0].next_action == "mend"
    assert exit_code(results) == 1


@pytest.mark.parametrize(
    ("error", "end", "code"),
    [
        (UsageError("no such column"), "failed", 2),
        (FencedError("epoch 2 has taken over"), "fenced", 3),
        (EngineLostError("Java has ended"), "failed", 2),
    ],
)
def test_what_cannot_pass_is_not_tried_again(
    base: str, error: HoldfastError, end: str, code: int
) -> None:
    (result,) = ran(declared(base, "a"), FakeEngine({"a": [error]}))
    assert (result.end, result.restarts, exit_code((result,))) == (end, 0, code)
    assert records_of(base, "a")["1.end"]["code"] == error.code


def test_a_mistake_of_ours_ends_one_job_only(base: str) -> None:
    def explode(job: Any) -> None:
        if job.name == "a":
            raise ValueError("a bug")

    engine = FakeEngine({"a": [FakeQuery()], "b": [FakeQuery()]}, on_start=explode)
    results = ran(declared(base, "a", "b"), engine)
    assert [(result.end, result.code) for result in results] == [
        ("failed", "HF009"),
        ("drained", ""),
    ]


def test_a_stop_lets_the_batch_finish(base: str) -> None:
    stop = StopSignal()
    query = FakeQuery(batches=0, looks_until_end=1000, busy=True)
    engine = FakeEngine({"a": [query]})

    def tell(event: RunEvent) -> None:
        if isinstance(event, Started):
            stop.event.set()
            threading.Timer(0.2, lambda: setattr(query, "batches", 1)).start()
            query.wait = lambda seconds: threading.Event().wait(0.02)  # type: ignore[method-assign]

    (result,) = ran(declared(base, "a"), engine, once=False, stop=stop, tell=tell)
    assert (result.end, result.batches) == ("stopped", 1) and query.seen == ["stop"]
    assert exit_code((result,)) == 0


IDLE = {"batchId": 1, "numInputRows": 0, "durationMs": {"latestOffset": 1}, "sources": []}
BATCH = {"batchId": 1, "numInputRows": 10, "durationMs": {"addBatch": 5}, "sources": []}
EARLIER = {**BATCH, "batchId": 0}


@pytest.mark.parametrize("before", [IDLE, EARLIER])
def test_what_ended_before_a_stop_is_not_taken_for_the_batch_that_runs(
    base: str, before: dict[str, Any]
) -> None:
    """The look that sees the stop also sees a report from before: batch 1 still runs."""
    stop = StopSignal()
    query = FakeQuery(busy=True, looks_until_end=1000)
    reports: list[list[dict[str, Any]]] = [[before], [], [], [BATCH]]
    query.fresh = lambda: reports.pop(0) if reports else []  # type: ignore[method-assign]
    engine = FakeEngine({"a": [query]}, on_start=lambda job: stop.event.set())
    (result,) = ran(declared(base, "a"), engine, once=False, stop=stop)
    assert (result.end, result.last_batch, reports) == ("stopped", 1, [])


def test_a_failure_is_a_failure_even_where_a_stop_was_asked_for(base: str) -> None:
    stop = StopSignal()
    query = FakeQuery(batches=0, failing=LASTING)
    engine = FakeEngine({"a": [query]}, on_start=lambda job: stop.event.set())
    (result,) = ran(declared(base, "a"), engine, stop=stop)
    assert result.end == "failed"


def test_an_interruption_by_a_stop_is_no_failure(base: str) -> None:
    stop = StopSignal()
    interrupted = Failure(
        code="HF023", cause="InterruptedException", passing=False, fenced=False, next_action=""
    )
    engine = FakeEngine(
        {"a": [FakeQuery(failing=interrupted)]}, on_start=lambda j: stop.event.set()
    )
    (result,) = ran(declared(base, "a"), engine, stop=stop)
    assert result.end == "stopped"


def test_a_holder_that_was_overtaken_stops_its_query(base: str) -> None:
    query = FakeQuery(batches=0, looks_until_end=10**6)

    def overtake(job: Any) -> None:
        records = open_records(job.checkpoint)
        first = records.read(f"lease/{1:020d}")
        assert first is not None and records.create(f"lease/{2:020d}", first)

    engine = FakeEngine({"a": [query]}, on_start=overtake)
    query.wait = lambda seconds: threading.Event().wait(0.05)  # type: ignore[method-assign]
    (result,) = ran(declared(base, "a"), engine, once=False)
    assert (result.end, exit_code((result,))) == ("fenced", 3) and "stop" in query.seen


def test_what_is_held_is_refused_before_the_engine_is_touched(base: str) -> None:
    opened: list[str] = []
    inner: list[tuple[RunResult, ...]] = []
    declaration = declared(base, "a")

    def second(job: Any) -> None:
        inner.append(
            run(
                declaration,
                (),
                StopSignal(),
                once=True,
                engine=lambda _: opened.append("touched"),  # type: ignore[arg-type,return-value]
            )
        )

    (result,) = ran(declaration, FakeEngine({"a": [FakeQuery()]}, on_start=second))
    assert result.end == "drained"
    ((refused,),) = inner
    assert (refused.end, refused.code, exit_code((refused,))) == ("refused", "HF021", 3)
    assert not opened


def test_an_engine_that_does_not_start_gives_the_lease_back(base: str) -> None:
    def broken(_: Declaration) -> FakeEngine:
        raise UnreachableError("Spark did not start")

    with pytest.raises(UnreachableError, match="did not start"):
        run(declared(base, "a"), (), StopSignal(), once=True, engine=broken)
    (again,) = ran(declared(base, "a"), FakeEngine({"a": [FakeQuery()]}))
    assert (again.end, again.epoch) == ("drained", 2)


def test_secrets_reach_no_result_and_no_record(base: str) -> None:
    secret = SecretText("hunter2-very-secret", "${env:PASSWORD}")
    failing = Failure(
        code="HF023",
        cause=f"login with {secret} failed at jdbc://me:another-secret@host/db",
        passing=False,
        fenced=False,
        next_action=f"change {secret}",
    )
    declaration = declared(base, "a", secrets=frozenset({secret}))
    (result,) = ran(declaration, FakeEngine({"a": [FakeQuery(failing=failing)]}))
    written = json.dumps(records_of(base, "a"))
    for text in (result.cause, result.next_action, written):
        assert "hunter2" not in text and "another-secret" not in text
    assert "${env:PASSWORD}" in result.cause


def test_an_unknown_job_is_named(base: str) -> None:
    with pytest.raises(UsageError, match="no job is called 'b'"):
        ran(declared(base, "a"), FakeEngine({}), "b")


def test_every_error_of_the_guards_is_told(base: str) -> None:
    first = job_named("a", base)
    odd = replace(
        first,
        checkpoint=f"{base}/2026-11-17",
        sink=replace(first.sink, options={"path": f"{base}/2026-11-17"}),
    )
    declaration = replace(declared(base, "a"), jobs=(odd,))
    (result,) = ran(declaration, FakeEngine({}))
    assert (result.end, result.code, exit_code((result,))) == ("refused", "HF206", 1)
    assert "HF2" not in result.cause.partition("; also")[0]
    other = replace(odd, name="b")
    results = ran(replace(declaration, jobs=(odd, other)), FakeEngine({}))
    assert results[1].code == "HF204" and "; also HF206" in results[1].cause


def test_records_that_cannot_be_written_are_told(
    base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = LocalRecords.create

    def failing(self: LocalRecords, name: str, data: bytes) -> bool:
        if name.endswith(".end"):
            raise UnreachableError("the disk is gone")
        return create(self, name, data)

    monkeypatch.setattr(LocalRecords, "create", failing)
    events: list[RunEvent] = []
    (result,) = ran(declared(base, "a"), FakeEngine({"a": [FakeQuery()]}), tell=events.append)
    assert result.end == "drained"
    (told,) = [event for event in events if isinstance(event, Unrecorded)]
    assert told.job == "a" and "HF007 the disk is gone" in told.reason


def test_what_another_start_has_half_done_is_told_as_that_start(base: str) -> None:
    checkpoint = Path(base) / "a"
    checkpoint.mkdir(parents=True)
    (checkpoint / "metadata").write_text(f'{{"id":"{QUERY_ID}"}}')
    held = acquire(
        open_records(str(checkpoint)),
        machine=ThisMachine(),
        monotonic=time.monotonic,
        sleep=time.sleep,
    )
    (during,) = ran(declared(base, "a"), FakeEngine({}))
    held.release()
    (after,) = ran(declared(base, "a"), FakeEngine({}))
    assert (during.end, during.code, during.exit_code) == ("refused", "HF021", 3)
    assert (after.end, after.code, after.exit_code) == ("refused", "HF216", 1)


def test_the_first_plan_of_a_query_that_runs_already_is_not_taken_for_a_leftover(base: str) -> None:
    """As the library door has it: the query was started, and then it is followed."""
    job = job_named("a", base)
    around = Surrounding(
        base=base,
        profile="test",
        master="local[2]",
        code_revision=None,
        secrets=frozenset(),
        once=True,
        take_over=False,
    )
    prepared = prepare_or_raise(job, around, (), lambda event: None)
    planning = Path(job.checkpoint) / "offsets" / ".0.3f0c4b1e-0000-4000-8000-000000000000.tmp"
    planning.parent.mkdir(parents=True)
    planning.write_bytes(b"v1\n{")
    query = FakeQuery()
    supervisor = Supervisor(
        prepared, around, lambda: query, StopSignal(), lambda event: None, spark_version=None
    )
    assert supervisor.run().end == "drained"
    assert planning.exists()
