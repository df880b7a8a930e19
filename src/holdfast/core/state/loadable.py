"""Which versions of the state can be loaded: a base snapshot and an unbroken run of changes.

HDFSBackedStateStoreProvider.loadMap and RocksDB.load share the rule: the newest snapshot at or
below V, then every change after it up to V; version 0 is empty and needs no file. In format 2 the
file must also carry the id that commits/V-1 names.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from holdfast.core.formats.state_name import CHANGE_KINDS, SNAPSHOT_KINDS
from holdfast.core.state.layout import OperatorFiles, StoreFiles

Range = tuple[int, int]
"""First and last, both included."""

CommittedId = Callable[[int, int, str], str | None]
"""(version, partition, store) to the unique id that its commit names, None where unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Era:
    """A run of versions written with one number of partitions; last None means 'and after'."""

    first: int
    last: int | None
    partitions: int


def loadable_versions(
    store: StoreFiles, committed_id: CommittedId | None, broken: frozenset[str] = frozenset()
) -> list[Range]:
    """Ranges of versions of one store that can be loaded, version 0 (empty) included.

    `broken` holds paths of files that look right by name and are not.
    """
    ranges: list[Range] = [(0, 0)]
    for version in sorted({*store.snapshots, *store.changes}):
        if version == 0:
            continue
        wanted = committed_id(version, store.partition, store.store) if committed_id else None
        start, end = ranges[-1]
        follows = version == end + 1
        if _usable(store, version, wanted, broken, snapshot=True) or (
            follows and _usable(store, version, wanted, broken, snapshot=False)
        ):
            if follows:
                ranges[-1] = (start, version)
            else:
                ranges.append((version, version))
    return ranges


def operator_loadable(
    operator: OperatorFiles,
    eras: Sequence[Era],
    store_names: Iterable[str],
    committed_id: CommittedId | None,
    broken: frozenset[str] = frozenset(),
) -> list[Range]:
    """Ranges of versions for which every partition and store of an operator can be loaded."""
    by_key = {(store.partition, store.store): store for store in operator.stores}
    cache: dict[tuple[int, str], list[Range]] = {}
    names = tuple(store_names)
    like: StoreFiles | None = None
    result: list[Range] = []
    for era in eras:
        last = era.last if era.last is not None else (operator.last_version or 0)
        common: list[Range] = [(max(era.first, 1), last)]
        for key in ((p, name) for p in range(era.partitions) for name in names):
            if key not in by_key:
                common = []
            if not common:
                break
            if key not in cache:
                store = by_key[key]
                # Without ids only names count, and most partitions hold the same ones.
                if like is None or committed_id or broken or not _same_files(store, like):
                    cache[key] = loadable_versions(store, committed_id, broken)
                else:
                    cache[key] = cache[like.partition, like.store]
                like = store
            common = intersect(common, cache[key])
        result.extend(common)
    return merge(result)


def intersect(left: Sequence[Range], right: Sequence[Range]) -> list[Range]:
    """The versions that are in both."""
    result: list[Range] = []
    i = j = 0
    while i < len(left) and j < len(right):
        first = max(left[i][0], right[j][0])
        last = min(left[i][1], right[j][1])
        if first <= last:
            result.append((first, last))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return result


def merge(ranges: Iterable[Range]) -> list[Range]:
    """Join ranges that touch."""
    result: list[Range] = []
    for first, last in sorted(ranges):
        if first > last:
            continue
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return result


def eras_of(partitions_by_batch: Mapping[int, int], newest: int) -> list[Era]:
    """Cut history where the number of partitions changed; batch B wrote version B+1.

    Batches whose plan was not read are taken to be as the nearest older one that was, and before
    the oldest as that one.
    """
    eras: list[Era] = []
    for batch in sorted(partitions_by_batch):
        count = partitions_by_batch[batch]
        if eras and eras[-1].partitions == count:
            continue
        first = batch + 1 if eras else 0
        if eras:
            eras[-1] = Era(first=eras[-1].first, last=batch, partitions=eras[-1].partitions)
        eras.append(Era(first=first, last=None, partitions=count))
    return eras or [Era(first=0, last=None, partitions=newest)]


def _same_files(one: StoreFiles, other: StoreFiles) -> bool:
    return one.changes == other.changes and one.snapshots == other.snapshots


def _usable(
    store: StoreFiles,
    version: int,
    wanted: str | None,
    broken: frozenset[str],
    *,
    snapshot: bool,
) -> bool:
    """Say whether a file of this version is there, carries the right id and is not damaged."""
    ids = (store.snapshots if snapshot else store.changes).get(version, ())
    candidates = ids if wanted is None else tuple(i for i in ids if i == wanted)
    if not broken:
        return bool(candidates)
    kinds = SNAPSHOT_KINDS if snapshot else CHANGE_KINDS
    return any(
        not any(state_path(store, version, unique_id, kind) in broken for kind in kinds)
        for unique_id in candidates
    )


def state_path(store: StoreFiles, version: int, unique_id: str | None, kind: str) -> str:
    """Path of a state file, relative to the checkpoint."""
    return f"{store.path}/{version}{f'_{unique_id}' if unique_id else ''}.{kind}"
