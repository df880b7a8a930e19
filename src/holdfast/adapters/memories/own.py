"""The memory of a target of the user's own: our ledger beside the checkpoint, or a sink's word."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.sinks.own.ledger import Begun, Ledger, Mark
from holdfast.adapters.storage.opening import shown
from holdfast.core.evidence.sink_memory import (
    MarkedBatch,
    SinkMemory,
    missing_memory,
    newest_marks,
)
from holdfast.core.fact import Absent, Known
from holdfast.core.running.ports import BatchSink
from holdfast.errors import HoldfastError, InternalError, UsageError


def read_own(name: str, checkpoint: str | None, query_id: str | None) -> SinkMemory:
    """Read the ledger that lies beside a checkpoint; raises HoldfastError where it cannot."""
    if checkpoint is None:
        raise UsageError(
            "the ledger of this sink lies beside the checkpoint, and no checkpoint was named",
            subject=name,
            next_action="name it: own:CHECKPOINT?sink=NAME",
        )
    sink = f"{name} (ledger beside {shown(checkpoint)})"
    if query_id is None:
        raise UsageError(
            "the ledger of this sink is by query id, and the query id is not known",
            subject=sink,
            next_action="give the id that the checkpoint's metadata has",
        )
    records = open_records(checkpoint)
    if not records.names(f"sinks/{quote(name, safe='')}/{quote(query_id, safe='')}"):
        note = "no start of this query has written a ledger for it"
        return missing_memory(sink, "own", "checked", note)
    state = Ledger(records, name, query_id).state()
    batches = newest_marks(_mark(mark) for mark in state.marks)
    return SinkMemory(
        sink=sink,
        kind="own",
        exists=None,
        key=Known(query_id, sink),
        last=Absent(sink) if state.last_batch is None else Known(state.last_batch, sink),
        skips="checked",
        table_id=Absent(sink),
        batches=batches,
        oldest_known=batches[-1].batch if batches else None,
        notes=_begun(state.begun),
    )


def own_name(kind: str, options: Mapping[str, Any]) -> str:
    """What the ledger calls a sink of these options, as the sink itself would; nothing is run."""
    given = options.get("name")
    if given:
        return str(given)
    if kind == "http":
        return urlsplit(str(options.get("url", ""))).path.strip("/") or kind
    function = options.get("function")
    if callable(function):
        return f"{function.__module__}:{getattr(function, '__name__', 'function')}"
    return str(function)


def own_place(where: str) -> tuple[str, str]:
    """Sink and checkpoint of `CHECKPOINT?sink=NAME`; raises UsageError where one is missing."""
    checkpoint, _, name = where.rpartition("?sink=")
    if not checkpoint or not name:
        raise UsageError("it names no sink", next_action="own:CHECKPOINT?sink=NAME")
    return unquote(name), checkpoint


def ask_sink(sink: BatchSink, kind: str, query_id: str | None) -> SinkMemory:
    """What a sink of another package says of itself; its code is asked for one number only."""
    origin = f"sink {sink.name!r} of kind {kind!r}"
    if query_id is None:
        raise UsageError("the sink is asked by query id, and that is not known", subject=origin)
    try:
        last = sink.last_batch(query_id)
    except HoldfastError:
        raise
    except Exception as error:
        # Code of another package: whatever it raises means that it does not tell.
        raise InternalError(
            f"the sink does not tell its last batch: {type(error).__name__}", subject=origin
        ) from error
    return SinkMemory(
        sink=origin,
        kind="own",
        exists=None,
        key=Known(query_id, origin),
        last=Absent(origin) if last is None else Known(last, origin),
        skips="at-or-below",
        table_id=Absent(origin),
        notes=("told by the sink itself, which lists no batches",),
    )


def _mark(mark: Mark) -> MarkedBatch:
    return MarkedBatch(
        batch=mark.batch,
        rows=mark.rows,
        at_ms=None,
        where=f"mark of batch {mark.batch} by epoch {mark.epoch}, {mark.chunks} chunks",
    )


def _begun(begun: Begun | None) -> tuple[str, ...]:
    if begun is None:
        return ()
    return (
        f"batch {begun.batch} is begun: {begun.acknowledged} chunks ({begun.rows:,} rows) are in "
        "the target, and a start goes on behind them",
    )
