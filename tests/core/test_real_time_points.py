"""Real-time mode is told by the order of what happens; all other jobs keep their points."""

from pathlib import Path

import pytest

from holdfast.core.crash.operation import CallName, Operation
from holdfast.core.crash.place import Area, Layout
from holdfast.core.crash.point import Key, Point, Tracker, points_of
from holdfast.core.crash.real_time import is_real_time, name_real_time
from holdfast.core.crash.wire.message import Message, MessageCall

RECORDED = Path(__file__).with_name("recorded")
"""What real Spark 4.2.0 did in one run of a control, with the stage that each point had before
real-time mode was told apart ('-' for what is no point)."""
ORDINARY = ("early-return", "file-sink", "kafka-sink", "late-commit", "plain-append")
LAYOUT = Layout(roots={"checkpoint": "/w/c", "output": "/w/out"})
PLAN = [("create", "offsets/.{n}.tmp"), ("rename", "offsets/{n}")]
COMMIT = [("create", "commits/.{n}.tmp"), ("rename", "commits/{n}")]
Happening = tuple[str, str]


def recorded(name: str) -> tuple[list[tuple[Key, int]], list[str]]:
    seen, stages = [], []
    for line in (RECORDED / f"{name}.tsv").read_text().splitlines():
        stage, batch, own, area, call, nth, path = line.split("\t")
        key = Key(
            area=area,  # type: ignore[arg-type]
            call=call,  # type: ignore[arg-type]
            name=path,
            batch=None if own == "-" else int(own),
            nth=int(nth),
        )
        seen.append((key, int(batch)))
        stages += [] if stage == "-" else [stage]
    return seen, stages


def run(*batches: list[Happening], empty: frozenset[int] = frozenset()) -> tuple[Point, ...]:
    """Points of a run in which each batch does this: messages, files of an output, log entries."""
    tracker = Tracker(LAYOUT, planned=None, committed=None)
    seen = [tracker.see(Operation(call="mkdir", path="/w/c"))]
    for n, happenings in enumerate(batches):
        for call, what in happenings:
            seen.append(_one(tracker, call, what.format(n=n)))
    return points_of([known for known in seen if known is not None], empty=empty)


def _one(tracker: Tracker, call: str, what: str) -> tuple[Key, int] | None:
    if call in ("send", "commit", "answer", "acknowledge"):
        said: MessageCall = call  # type: ignore[assignment]
        return tracker.hear(Message(call=said, name=what, connection=1))
    area: Area = "output" if what.startswith("part") else "checkpoint"
    made: CallName = call  # type: ignore[assignment]
    return tracker.see(Operation(call=made, path=f"{LAYOUT.roots[area]}/{what}"))


SAID = [("send", "pg:Query INSERT"), ("acknowledge", "pg:Query INSERT")]


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_job_has_the_points_it_had(name: str) -> None:
    seen, stages = recorded(name)
    points = points_of(seen)
    assert [point.stage for point in points] == stages
    assert name_real_time(points) == points


def test_spark_in_real_time_mode_is_told() -> None:
    seen, before = recorded("real-time")
    points = points_of(seen)
    named = name_real_time(points)
    assert [point.stage for point in points] == before
    assert [(point.number, point.key) for point in named] == [(p.number, p.key) for p in points]
    told = [(point.stage, point.text) for point in named if point.batch == 1]
    assert told == [
        ("K11", "rename checkpoint:commits/.0.crc"),
        ("K6", "message kafka:Produce"),
        ("K16", "answer kafka:Produce"),
        ("K16", "create checkpoint:offsets/.1.*.tmp"),
        ("K16", "create checkpoint:offsets/..1.*.tmp.crc"),
        ("K16", "rename checkpoint:offsets/1"),
        ("K17", "rename checkpoint:offsets/.1.crc"),
        ("K17", "create checkpoint:commits/.1.*.tmp"),
        ("K17", "create checkpoint:commits/..1.*.tmp.crc"),
        ("K17", "rename checkpoint:commits/1"),
    ]


def stages(points: tuple[Point, ...], batch: int) -> list[str]:
    return [point.stage for point in name_real_time(points) if point.batch == batch]


def test_rows_are_out_when_the_server_said_so_and_not_before() -> None:
    batch = [*SAID, ("send", "pg:Query UPDATE"), *PLAN, *COMMIT]
    assert stages(run(batch, batch), 1) == ["K6", "K16", "K16", "K16", "K16", "K17", "K17"]


def test_rows_in_files_are_out_when_the_plan_is_written() -> None:
    batch = [("create", "part-{n}"), ("rename", "part-{n}.json"), *PLAN, *COMMIT]
    assert stages(run(batch, batch), 1) == ["K6", "K6", "K16", "K16", "K17", "K17"]


def test_batches_without_input_stay_what_they_are() -> None:
    full, none = [*SAID, *PLAN, *COMMIT], [*PLAN, *COMMIT]
    points = run(full, none, none, empty=frozenset({1, 2}))
    assert is_real_time(points)
    assert stages(points, 0)[1:] == ["K6", "K16", "K16", "K16", "K17", "K17"]
    assert stages(points, 1) == ["K15"] * 4
    assert is_real_time(run(none, full, full)), "the first may have come before its input"


@pytest.mark.parametrize(
    "batches",
    [
        [[*PLAN, *SAID, *COMMIT]] * 3,
        [[*PLAN, *COMMIT, *SAID]] * 3,
        [[*SAID, *PLAN, *SAID, *COMMIT]] + [[*PLAN, *SAID, *COMMIT]] * 2,
        [[*SAID, *PLAN, *COMMIT]] + [[*PLAN, *COMMIT]] * 2,
        [[("mkdir", "part"), *PLAN, *COMMIT]] * 3,
        [[*PLAN, *COMMIT]] * 3,
        [SAID],
        [],
    ],
    ids=[
        "micro-batches",
        "a sink that returns too early",
        "a table that is made first",
        "rows in the first batch only, though others had input",
        "folders only",
        "a sink that nobody sees",
        "no batch at all",
        "nothing",
    ],
)
def test_what_proves_nothing_changes_nothing(batches: list[list[Happening]]) -> None:
    points = run(*batches)
    assert not is_real_time(points)
    assert name_real_time(points) == points
