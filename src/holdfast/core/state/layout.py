"""The state directory read from a listing: operators, partitions, stores and their versions.

`state/<operator>/<partition>[/<store>]/<version>.<kind>`; RocksDB keeps shared files in `SSTs/`
and `logs/` beside its snapshots (StateStoreId.storeCheckpointLocation, RocksDBFileManager).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from holdfast.core.formats.log_name import batch_id_of, is_temporary
from holdfast.core.formats.state_name import SNAPSHOT_KINDS, is_schema_name, split_state_name
from holdfast.core.limits import OPERATORS_MAX
from holdfast.core.tree import Tree

DEFAULT_STORE = "default"
_NOT_STORES = frozenset({"SSTs", "logs"})

Versions = dict[int, tuple[str | None, ...]]
"""Version to the unique ids found for it; format 1 has the one id None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFiles:
    """The versioned files of one store in one partition."""

    path: str
    partition: int
    store: str
    snapshots: Versions
    changes: Versions


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorFiles:
    """Everything below `state/<operator>`, counted."""

    operator_id: int
    stores: tuple[StoreFiles, ...]
    partitions: tuple[int, ...]
    kind_counts: Mapping[str, int]
    last_version: int | None
    temporary_files: int
    metadata_v1: str | None
    metadata_v2: Mapping[int, str]
    schema_files: tuple[str, ...]
    provider: str | None

    @property
    def store_names(self) -> tuple[str, ...]:
        """Stores seen on storage, in the order of their names."""
        return tuple(sorted({store.store for store in self.stores}))


_WITHOUT_ID: tuple[str | None, ...] = (None,)


@dataclass(slots=True)
class _Tally:
    kinds: Counter[str] = field(default_factory=Counter)
    last_version: int | None = None
    temporary_files: int = 0


def read_layout(tree: Tree) -> tuple[OperatorFiles, ...]:
    """Read the operators below `state/`, in the order of their numbers."""
    return tuple(_operator(tree, operator_id) for operator_id in operator_ids(tree)[:OPERATORS_MAX])


def operator_ids(tree: Tree) -> list[int]:
    """The numbers of all operators below `state/`, sorted."""
    return sorted(i for i in map(batch_id_of, tree.children("state")) if i is not None)


def _operator(tree: Tree, operator_id: int) -> OperatorFiles:
    root = f"state/{operator_id}"
    partitions = sorted(i for i in map(batch_id_of, tree.children(root)) if i is not None)
    tally = _Tally()
    stores = tuple(
        store for partition in partitions for store in _stores(tree, root, partition, tally)
    )
    for directory in tree.below(f"{root}/_metadata"):
        tally.temporary_files += sum(map(is_temporary, directory.names))
    metadata_v1 = f"{root}/_metadata/metadata"
    v2_root = f"{root}/_metadata/v2"
    return OperatorFiles(
        operator_id=operator_id,
        stores=stores,
        partitions=tuple(partitions),
        kind_counts=dict(sorted(tally.kinds.items())),
        last_version=tally.last_version,
        temporary_files=tally.temporary_files,
        metadata_v1=metadata_v1 if "metadata" in tree.names(f"{root}/_metadata") else None,
        metadata_v2={
            batch: f"{v2_root}/{name}"
            for name in tree.names(v2_root)
            if (batch := batch_id_of(name)) is not None
        },
        schema_files=tuple(sorted(_schema_files(tree, root, partitions))),
        provider=_provider(tally.kinds),
    )


def _stores(tree: Tree, root: str, partition: int, tally: _Tally) -> Iterator[StoreFiles]:
    path = f"{root}/{partition}"
    # Hidden folders are none: _metadata, Databricks' __tmp_path_dir, what an editor left behind.
    named = [n for n in tree.children(path) if n[0] not in "._" and n not in _NOT_STORES]
    # A join keeps its four stores below the partition and nothing in the partition itself.
    if not named or any(split_state_name(name) for name in tree.names(path)):
        yield _store(tree, path, partition, DEFAULT_STORE, tally)
    for name in sorted(named):
        yield _store(tree, f"{path}/{name}", partition, name, tally)


def _store(tree: Tree, path: str, partition: int, store: str, tally: _Tally) -> StoreFiles:
    snapshots: Versions = {}
    changes: Versions = {}
    kinds: list[str] = []
    # Little is done for each name here: there may be a million.
    for name in tree.names(path):
        parts = split_state_name(name)
        if parts is None:
            tally.temporary_files += is_temporary(name)
            continue
        version, unique_id, kind = parts
        kinds.append(kind)
        versions = snapshots if kind in SNAPSHOT_KINDS else changes
        if version in versions:
            versions[version] = (*versions[version], unique_id)
        else:
            versions[version] = _WITHOUT_ID if unique_id is None else (unique_id,)
    tally.kinds.update(kinds)
    newest = max((max(versions) for versions in (snapshots, changes) if versions), default=None)
    if newest is not None and (tally.last_version is None or newest > tally.last_version):
        tally.last_version = newest
    for name in tree.names(f"{path}/SSTs"):
        if name.endswith(".sst"):
            tally.kinds["sst"] += 1
        tally.temporary_files += is_temporary(name)
    return StoreFiles(
        path=path, partition=partition, store=store, snapshots=snapshots, changes=changes
    )


def _schema_files(tree: Tree, root: str, partitions: list[int]) -> Iterator[str]:
    for directory in tree.below(f"{root}/_stateSchema"):
        for name in directory.names:
            if is_schema_name(name) and not name.endswith(".crc"):
                yield f"{directory.path}/{name}"
    if partitions:
        for directory in tree.below(f"{root}/{partitions[0]}"):
            if directory.path.endswith("/_metadata") and "schema" in directory.names:
                yield f"{directory.path}/schema"


def _provider(kinds: Counter[str]) -> str | None:
    if kinds["zip"] or kinds["changelog"] or kinds["sst"]:
        return "RocksDB"
    return "HDFS" if kinds["delta"] or kinds["snapshot"] else None
