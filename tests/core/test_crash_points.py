"""Crash points: the same operation has the same key in every run, and falls into its step."""

import pytest

from holdfast.core.crash.chain import alone, chains_of
from holdfast.core.crash.choosing import choose
from holdfast.core.crash.operation import CallName, Operation, name_of
from holdfast.core.crash.place import Layout
from holdfast.core.crash.point import STARTING, Key, Point, Tracker, points_of
from holdfast.core.microbatch import CRASH_POINTS, STEPS
from holdfast.errors import UsageError

LAYOUT = Layout(
    roots={
        "checkpoint": "/w/c/job",
        "records": "/w/c/_holdfast/job",
        "output": "/w/out.db",
        "steps": "/w/steps",
    }
)
UUID = "7aed517c-f46d-4fad-923d-1439b27b58fc"
OTHER = "00000000-f46d-4fad-923d-000000000000"

BATCH = [
    ("create", "/w/c/job/sources/0/.{n}.{u}.tmp", "K0"),
    ("rename", "/w/c/job/sources/0/{n}", "K0"),
    ("create", "/w/c/job/offsets/.{n}.{u}.tmp", "K1"),
    ("rename", "/w/c/job/offsets/{n}", "K2"),
    ("rename", "/w/c/job/offsets/.{n}.crc", "K3"),
    ("create", "/w/c/job/state/0/_metadata/.metadata.{u}.tmp", "K4"),
    ("create", "/w/c/job/state/0/1/.{n}.delta.{u}.TID7.tmp", "K5"),
    ("rename", "/w/c/job/state/0/1/{n}.snapshot", "K13"),
    ("create", "/w/out.db-journal", "K6"),
    ("fsync", "/w/out.db", "K6"),
    ("unlink", "/w/out.db-journal", "K7"),
    ("create", "/w/steps/{n}-committed", "K9"),
    ("create", "/w/c/job/commits/.{n}.{u}.tmp", "K9"),
    ("rename", "/w/c/job/commits/{n}", "K10"),
]


def operations(batches: int, uuid: str = UUID) -> list[tuple[Operation, str]]:
    return [
        (Operation(call=call, path=path.format(n=n, u=uuid)), stage)  # type: ignore[arg-type]
        for n in range(batches)
        for call, path, stage in BATCH
    ]


def seen(
    uuid: str = UUID, planned: int | None = None, committed: int | None = None
) -> list[tuple[Key, int]]:
    tracker = Tracker(LAYOUT, planned=planned, committed=committed)
    found = [tracker.see(operation) for operation, _ in operations(3, uuid)]
    return [known for known in found if known is not None]


def test_an_attempt_of_the_files_sink_is_known_again_whatever_its_epoch() -> None:
    attempts = [f"staging/{UUID}/{epoch}-7-{'ab' * 16}/part-00000" for epoch in (1, 12)]
    assert {name_of(attempt) for attempt in attempts} == {"staging/*/*-7-*/part-00000"}


def test_each_operation_falls_into_the_step_that_comes_before_it() -> None:
    points = points_of(seen())
    assert [point.stage for point in points] == [stage for _, stage in operations(3)]
    assert [point.batch for point in points] == [n for n in range(3) for _ in BATCH]
    assert [point.number for point in points] == list(range(1, len(points) + 1))


def test_every_stage_has_words_and_every_step_its_stages() -> None:
    assert list(CRASH_POINTS) == [f"K{n}" for n in range(18)]
    of_steps = [point for step in STEPS for point in step.crash_points]
    assert of_steps == [f"K{n}" for n in range(14)]


def test_random_names_do_not_change_a_key() -> None:
    assert seen(UUID) == seen(OTHER)
    keys = [key for key, _ in seen()]
    assert len(set(keys)) == len(keys), "and no two operations of a run share one"


def test_a_run_that_begins_in_a_batch_counts_from_there() -> None:
    tracker = Tracker(LAYOUT, planned=4, committed=3)
    assert tracker.batch == 4
    known = tracker.see(Operation(call="create", path="/w/out.db-journal"))
    assert known is not None
    assert known[1] == 4
    tracker.see(Operation(call="rename", path="/w/c/job/commits/4"))
    assert (tracker.batch, tracker.committed) == (5, 4)


@pytest.mark.parametrize(
    "path", ["/w/c/jobs/offsets/0", "/w/other", "/w/c", "/w/out.dbx", "/w/c/_holdfast/job2/x"]
)
def test_what_lies_elsewhere_is_no_operation_of_the_job(path: str) -> None:
    tracker = Tracker(LAYOUT, planned=None, committed=None)
    assert tracker.see(Operation(call="create", path=path)) is None


def test_records_are_known_again_under_another_epoch() -> None:
    def key(epoch: str) -> Key:
        tracker = Tracker(LAYOUT, planned=None, committed=None)
        path = f"/w/c/_holdfast/job/lease/{epoch}.engine"
        known = tracker.see(Operation(call="link", path=path))
        assert known is not None
        return known[0]

    assert key("00000000000000000001") == key("00000000000000000002")


def make(call: CallName, path: str) -> Operation:
    return Operation(call=call, path=path)


def test_records_count_once_and_syncs_only_in_an_output() -> None:
    tracker = Tracker(LAYOUT, planned=None, committed=None)
    found = [
        tracker.see(make("link", "/w/c/_holdfast/job/lease/1")),
        tracker.see(make("fsync", "/w/c/_holdfast/job/lease")),
        tracker.see(make("mkdir", "/w/c/job")),
        tracker.see(make("rename", "/w/c/_holdfast/job/progress/1-0.jsonl")),
        tracker.see(make("rename", "/w/c/_holdfast/job/progress/1-0.jsonl")),
        tracker.see(make("fsync", "/w/out.db")),
    ]
    points = points_of([known for known in found if known is not None])
    assert [point.key.call for point in points] == ["link", "mkdir", "rename", "fsync"]
    assert points[0].batch == STARTING
    assert points[1].batch == 0


def test_batches_without_data_are_told() -> None:
    points = points_of(seen(), empty=frozenset({1}))
    assert {point.stage for point in points if point.batch == 1} == {"K15", "K13"}


def test_a_chain_goes_forward_and_all_chains_hold_every_point_once() -> None:
    points = points_of(seen())
    chains = chains_of(points)
    assert sorted(point.number for chain in chains for point in chain) == [
        point.number for point in points
    ]
    assert len(chains) == len(BATCH)
    assert all([p.batch for p in chain] == sorted({p.batch for p in chain}) for chain in chains)
    assert alone(points[:2]) == ((points[0],), (points[1],))
    assert chains_of(()) == ()


def test_points_are_chosen_by_number_by_kind_or_all() -> None:
    points: tuple[Point, ...] = points_of(seen())
    assert choose(points) == points
    assert [point.number for point in choose(points, names=("7", "3", "7"))] == [3, 7]
    quick = choose(points, quick=True, seed=5)
    assert {point.stage for point in quick} == {point.stage for point in points}
    assert len(quick) == len({point.stage for point in points})
    assert quick == choose(points, quick=True, seed=5)
    assert quick != choose(points, quick=True, seed=6)
    assert {point.stage for point in choose(points, names=("K9", "K10"))} == {"K9", "K10"}
    assert len(choose(points, names=("K9",), runs=2, seed=1)) == 2
    for name in ("99", "K16", "x"):
        with pytest.raises(UsageError, match=f"no crash point {name}"):
            choose(points, names=(name,))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (f"part-00001-{UUID}-c000.snappy.parquet", "part-00001-*-c000.snappy.parquet"),
        (
            "_temporary/0/_temporary/attempt_202611171923345042_0003_m_000001_3/x",
            "_temporary/0/_temporary/attempt_*_000001/x",
        ),
        ("_delta_log/00000000000000000012.json", "_delta_log/00000000000000000012.json"),
        ("x-1763405012345", "x-*"),
    ],
)
def test_a_name_keeps_what_every_run_has(path: str, name: str) -> None:
    assert name_of(path) == name
