"""Stateful operators: what they say of themselves joined with what lies on storage."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.checkpoint import OperatorState, done_through
from holdfast.core.fact import Absent, Content, Fact, Known, interpret
from holdfast.core.formats.json_text import Json
from holdfast.core.formats.operator_metadata import OperatorMetadata, parse_operator_metadata
from holdfast.core.formats.state_schema import parse_state_schema
from holdfast.core.reading.history import History
from holdfast.core.reading.survey import Survey
from holdfast.core.state.layout import DEFAULT_STORE, OperatorFiles
from holdfast.core.state.loadable import (
    CommittedId,
    Era,
    Range,
    eras_of,
    intersect,
    loadable_versions,
    operator_loadable,
)

STORES_SHOWN_MAX = 10_000
"""Stores whose versions are listed one by one: 2,500 partitions of a join."""

_SINGLE_PARTITION_OPERATORS = frozenset({"globalLimit"})
"""StreamingGlobalLimitExec demands AllTuples: one partition, whatever the pinned number."""


def read_operators(
    found: Survey, contents: Mapping[str, Content], history: History, pinned: int | None
) -> tuple[OperatorState, ...]:
    """Describe every operator below state/."""
    return tuple(
        _operator(found, operator, contents, history, pinned) for operator in found.operators
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreVersions:
    """One store of one partition, and the versions of it that can be loaded."""

    partition: int
    store: str
    versions: tuple[Range, ...]


def store_versions(operator: OperatorState, history: History) -> tuple[StoreVersions, ...]:
    """Which versions can be loaded, store by store; version V is the state after batch V-1."""
    committed_id = _committed_id(operator.files, operator.store_names, history)
    broken = frozenset(history.broken_state)
    return tuple(
        StoreVersions(
            partition=store.partition,
            store=store.store,
            versions=tuple(loadable_versions(store, committed_id, broken)),
        )
        for store in operator.files.stores[:STORES_SHOWN_MAX]
    )


def written_partitions(
    operators: tuple[OperatorState, ...], batch: int | None
) -> tuple[int | None, int | None]:
    """How many stores have the state that this batch writes, and how many must have it."""
    if batch is None or not operators:
        return None, None
    version = batch + 1
    written = expected = 0
    for operator in operators:
        expected += operator.partitions * len(operator.store_names)
        written += sum(
            version in store.changes or version in store.snapshots
            for store in operator.files.stores
        )
    return min(written, expected), expected


def _operator(
    found: Survey,
    operator: OperatorFiles,
    contents: Mapping[str, Content],
    history: History,
    pinned: int | None,
) -> OperatorState:
    metadata = _metadata(operator, contents)
    single = _is_single(operator, metadata, contents)
    fallback = max(operator.partitions, default=-1) + 1
    if single:
        eras = [Era(first=0, last=None, partitions=1)]
    else:
        eras = eras_of(history.partitions_by_batch, pinned or fallback)
    store_names = _store_names(operator, metadata)
    versions = operator_loadable(
        operator,
        eras,
        store_names,
        _committed_id(operator, store_names, history),
        frozenset(history.broken_state),
    )
    return OperatorState(
        files=operator,
        metadata=metadata,
        store_names=store_names,
        partitions=sum(partition < eras[-1].partitions for partition in operator.partitions),
        loadable=_as_batches(versions, done_through(found.offsets, found.commits)),
    )


def _metadata(operator: OperatorFiles, contents: Mapping[str, Content]) -> Fact[OperatorMetadata]:
    if operator.metadata_v2:
        path = operator.metadata_v2[max(operator.metadata_v2)]
    elif operator.metadata_v1:
        path = operator.metadata_v1
    else:
        return Absent(f"state/{operator.operator_id}/_metadata/metadata")
    return interpret(path, contents.get(path), parse_operator_metadata)


def _is_single(
    operator: OperatorFiles, metadata: Fact[OperatorMetadata], contents: Mapping[str, Content]
) -> bool:
    """Say whether one partition is all there can be: a limit, or no key to partition by.

    Without a schema file (Spark before 3.1) a lone partition 0 is taken to be a query without a
    key: that is common, and to lose every partition but the first is not.
    """
    if operator.partitions != (0,):
        return False
    if isinstance(metadata, Known) and metadata.value.name in _SINGLE_PARTITION_OPERATORS:
        return True
    if not operator.schema_files:
        return True
    path = operator.schema_files[0]
    schema = interpret(path, contents.get(path), parse_state_schema)
    return isinstance(schema, Known) and all(
        _holds_no_key(family.key) for family in schema.value.column_families
    )


def _holds_no_key(key: Mapping[str, Json]) -> bool:
    """No column, or only columns that hold nothing: StreamingGlobalLimitExec has one NullType."""
    fields = key.get("fields")
    return isinstance(fields, list) and all(
        isinstance(field, dict) and field.get("type") in ("void", "null") for field in fields
    )


def _store_names(operator: OperatorFiles, metadata: Fact[OperatorMetadata]) -> tuple[str, ...]:
    described = (
        {store.name for store in metadata.value.stores} if isinstance(metadata, Known) else set()
    )
    return tuple(sorted(described | set(operator.store_names))) or (DEFAULT_STORE,)


def _committed_id(
    operator: OperatorFiles, store_names: tuple[str, ...], history: History
) -> CommittedId | None:
    """Look up ids in the commits that were read; stores stand there in the order of their names.

    None where no commit names any (state format 1).

    SymmetricHashJoinStateManager lists left then right, keyToNumValues then keyWithIndexToValue.
    """
    if not history.unique_ids:
        return None
    order = {name: index for index, name in enumerate(store_names)}

    def look_up(version: int, partition: int, store: str) -> str | None:
        ids = history.unique_ids.get(version - 1, {}).get(operator.operator_id, ())
        if partition >= len(ids) or order[store] >= len(ids[partition]):
            return None
        return ids[partition][order[store]]

    return look_up


def _as_batches(versions: list[Range], newest: int | None) -> tuple[Range, ...]:
    """Version V is the state after batch V-1; state past the last finished batch counts not."""
    if newest is None:
        return ()
    batches = [(first - 1, last - 1) for first, last in versions if last >= 1]
    return tuple(intersect(batches, [(0, newest)]))
