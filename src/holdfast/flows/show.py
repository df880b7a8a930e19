"""show: read one checkpoint and explain it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from holdfast.core.batch_log import predecessor
from holdfast.core.checkpoint import Checkpoint, SourcePosition
from holdfast.core.fact import Fact, Known, interpret
from holdfast.core.formats.commit_log import CommitEntry, parse_commit_entry
from holdfast.core.formats.file_source_log import FileSourceEntry
from holdfast.core.formats.initial_offset import parse_kafka_initial_offset
from holdfast.core.formats.offset_log import OffsetEntry
from holdfast.core.offsets.file import FILE
from holdfast.core.offsets.kind import Advance, advances, amount
from holdfast.core.ports import Storage
from holdfast.core.reading.assembly import plan_of, source_positions
from holdfast.core.reading.operator_schemas import OperatorSchemas, read_schemas, schema_names
from holdfast.core.reading.operators import StoreVersions, store_versions
from holdfast.errors import CheckpointError, UsageError
from holdfast.flows.batch_files import read_batch_files
from holdfast.flows.locate import locate
from holdfast.flows.reading import Look, read_checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMove:
    """From where to where one source goes in a batch."""

    source: SourcePosition
    start: SourcePosition | None
    kind: str
    counts: str | None
    label_names: tuple[str, ...]
    moves: tuple[Advance, ...]
    amount: int | None
    files: tuple[FileSourceEntry, ...] | None = None
    """Input files of the batch, where the source is a file source whose log could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchView:
    """One batch: its plan, its commit, and what it reads."""

    batch: int
    plan: Fact[OffsetEntry]
    commit: Fact[CommitEntry]
    committed: bool
    starts_known: bool
    """Whether the plan that it begins after could be read; batch 0 begins at the beginning."""
    sources: tuple[SourceMove, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What `show` answers; the newest batch is always there, another when it was asked for."""

    checkpoint: Checkpoint
    newest: BatchView | None
    batch: BatchView | None
    schemas: tuple[OperatorSchemas, ...] | None
    versions: Mapping[int, tuple[StoreVersions, ...]] | None
    """By operator, with `state`: which versions of each store can be loaded."""


def show(
    location: str, *, batch: int | None = None, verify: bool = False, state: bool = False
) -> Shown:
    """Read the checkpoint at a location; read-only, never starts Spark."""
    located = locate(location)
    more = schema_names if state else None
    look = read_checkpoint(
        located.storage, verify=verify, batch=batch, more=more, notes=located.notes
    )
    newest = look.found.offsets.last
    if batch is not None and batch not in look.found.offsets.ids:
        raise _no_such_batch(batch, look)
    return Shown(
        checkpoint=look.checkpoint,
        newest=batch_view(look, newest) if newest is not None else None,
        batch=_with_files(located.storage, look, batch) if batch is not None else None,
        schemas=read_schemas(look.found, look.contents) if state else None,
        versions=_versions(look) if state else None,
    )


def _versions(look: Look) -> dict[int, tuple[StoreVersions, ...]]:
    return {
        operator.files.operator_id: store_versions(operator, look.history)
        for operator in look.checkpoint.operators
    }


def batch_view(look: Look, batch: int) -> BatchView:
    """Describe one batch; it begins where the batch before it ended."""
    plan = plan_of(look.found, look.contents, batch)
    found = look.found
    previous = predecessor(found.offsets, found.commits, batch, stateful=bool(found.operators))
    before = plan_of(look.found, look.contents, previous) if previous is not None else None
    ends = source_positions(look.found, look.contents, plan)
    starts = source_positions(look.found, look.contents, before) if before is not None else ()
    path = look.found.commits.path(batch)
    return BatchView(
        batch=batch,
        plan=plan,
        commit=interpret(path, look.contents.get(path), parse_commit_entry),
        committed=batch in look.found.commits.ids,
        starts_known=batch == 0 or isinstance(before, Known),
        sources=tuple(_move(look, batch, end, _matching(end, starts)) for end in ends),
    )


def _with_files(storage: Storage, look: Look, batch: int) -> BatchView:
    """A batch together with the input files that its file sources planned for it."""
    view = batch_view(look, batch)
    return replace(view, sources=tuple(_listing_files(storage, look, m) for m in view.sources))


def _listing_files(storage: Storage, look: Look, move: SourceMove) -> SourceMove:
    end = move.source.offset
    if end is None or end.kind is not FILE:
        return move
    directory = move.source.name or str(move.source.position)
    start = move.start.offset if move.start else None
    if start is not None and start.kind is not FILE:
        start = None  # another source was in this place before
    return replace(move, files=read_batch_files(storage, look.found, directory, start, end))


def _move(look: Look, batch: int, end: SourcePosition, start: SourcePosition | None) -> SourceMove:
    kind = end.offset.kind if end.offset else None
    begin = None
    if start and start.offset and start.offset.kind is kind:
        # Another kind in the same place is another source, which begins where it begins.
        begin = start.offset.value
    if batch == 0 and kind is not None and kind.name == "kafka":
        begin = kafka_beginning(look, end)
    moves = advances(kind, begin, end.offset.value) if kind and end.offset else ()
    return SourceMove(
        source=end,
        start=start,
        kind=kind.name if kind else "unknown",
        counts=kind.counts if kind else None,
        label_names=kind.label_names if kind else (),
        moves=moves,
        amount=amount(moves) if kind and kind.counts and moves else None,
    )


def kafka_beginning(look: Look, source: SourcePosition) -> object | None:
    """Kafka's first batch begins where `sources/<n>/0` says, written once at the first start."""
    for directory in (source.name, str(source.position)):
        content = look.contents.get(f"sources/{directory}/0")
        if isinstance(content, bytes):
            try:
                return parse_kafka_initial_offset(content).offsets
            except CheckpointError:
                return None
    return None


def _matching(end: SourcePosition, starts: tuple[SourcePosition, ...]) -> SourcePosition | None:
    """The same source in the plan before: by name where sources have names, else by position."""
    key = "position" if end.name is None else "name"
    return next((s for s in starts if getattr(s, key) == getattr(end, key)), None)


def _no_such_batch(batch: int, look: Look) -> UsageError:
    log = look.found.offsets
    if log.last is None:
        kept = "no batch was ever planned"
    else:
        kept = f"offsets/ keeps batches {log.first} to {log.last}"
    return UsageError(
        f"batch {batch} is not in this checkpoint: {kept}",
        subject=look.checkpoint.location,
        next_action="name one of those with --batch",
    )
