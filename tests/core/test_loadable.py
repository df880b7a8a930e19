"""Which versions of state can be loaded, against a direct reading of Spark's rule."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.state.layout import OperatorFiles, StoreFiles
from holdfast.core.state.loadable import (
    Era,
    eras_of,
    intersect,
    loadable_versions,
    merge,
    operator_loadable,
)

VERSIONS = st.integers(min_value=1, max_value=30)


def store(
    changes: set[int], snapshots: set[int], partition: int = 0, name: str = "default"
) -> StoreFiles:
    return StoreFiles(
        path=f"state/0/{partition}",
        partition=partition,
        store=name,
        snapshots=dict.fromkeys(snapshots, (None,)),
        changes=dict.fromkeys(changes, (None,)),
    )


def operator(*stores: StoreFiles) -> OperatorFiles:
    versions = [v for s in stores for v in (*s.changes, *s.snapshots)]
    return OperatorFiles(
        operator_id=0,
        stores=stores,
        partitions=tuple(sorted({s.partition for s in stores})),
        kind_counts={},
        last_version=max(versions, default=None),
        temporary_files=0,
        metadata_v1=None,
        metadata_v2={},
        schema_files=(),
        provider="HDFS",
    )


def no_id(version: int, partition: int, name: str) -> None:
    return None


def as_spark_loads(version: int, changes: set[int], snapshots: set[int]) -> bool:
    """HDFSBackedStateStoreProvider.loadMap, word for word: newest snapshot, then every delta."""
    base = max((s for s in snapshots if s <= version), default=0)
    return all(v in changes for v in range(base + 1, version + 1))


@given(changes=st.sets(VERSIONS), snapshots=st.sets(VERSIONS))
def test_loadable_is_what_spark_would_load(changes: set[int], snapshots: set[int]) -> None:
    ranges = loadable_versions(store(changes, snapshots), no_id)
    found = {v for first, last in ranges for v in range(first, last + 1)}
    newest = max(changes | snapshots, default=0)
    assert found == {v for v in range(newest + 1) if as_spark_loads(v, changes, snapshots)}


RANGES = st.lists(st.tuples(VERSIONS, VERSIONS).map(lambda p: (min(p), max(p)))).map(merge)


@given(left=RANGES, right=RANGES)
def test_intersection_holds_what_is_in_both(
    left: list[tuple[int, int]], right: list[tuple[int, int]]
) -> None:
    def members(ranges: list[tuple[int, int]]) -> set[int]:
        return {v for first, last in ranges for v in range(first, last + 1)}

    assert members(intersect(left, right)) == members(left) & members(right)


def test_one_partition_that_lacks_a_version_takes_it_from_all() -> None:
    both = operator(store({1, 2, 3}, set(), 0), store({1, 3}, set(), 1))
    era = [Era(first=0, last=None, partitions=2)]
    assert operator_loadable(both, era, ["default"], no_id) == [(1, 1)]


def test_a_partition_that_is_gone_leaves_nothing() -> None:
    one = operator(store({1, 2}, set(), 0))
    era = [Era(first=0, last=None, partitions=2)]
    assert operator_loadable(one, era, ["default"], no_id) == []


def test_a_store_that_is_gone_leaves_nothing() -> None:
    one = operator(store({1, 2}, set(), 0, "left"))
    era = [Era(first=0, last=None, partitions=1)]
    assert operator_loadable(one, era, ["left", "right"], no_id) == []


def test_partitions_added_by_a_repartition_are_not_needed_before_it() -> None:
    grown = operator(
        store({1, 2}, {3}, 0),
        store({1, 2}, {3}, 1),
        store(set(), {3}, 2),
    )
    eras = eras_of({0: 2, 1: 2, 2: 3}, newest=3)
    assert eras == [Era(first=0, last=2, partitions=2), Era(first=3, last=None, partitions=3)]
    assert operator_loadable(grown, eras, ["default"], no_id) == [(1, 3)]


def test_format_two_takes_only_the_file_that_the_commit_names() -> None:
    files = StoreFiles(
        path="state/0/0",
        partition=0,
        store="default",
        snapshots={1: ("good",)},
        changes={2: ("orphan",), 3: ("c",)},
    )
    ids = {1: "good", 2: "committed", 3: "c"}
    assert loadable_versions(files, lambda v, p, s: ids[v]) == [(0, 1)]
    assert loadable_versions(files, lambda v, p, s: None) == [(0, 3)]


def test_a_broken_snapshot_is_no_base() -> None:
    files = store({2}, {1})
    assert loadable_versions(files, no_id) == [(0, 2)]
    assert loadable_versions(files, no_id, frozenset({"state/0/0/1.zip"})) == [(0, 0)]
