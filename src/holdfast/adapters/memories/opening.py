"""Find the reader of a sink's memory: by `kind:where` as for outputs, or by a declared sink."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from holdfast.adapters.memories.none import no_memory
from holdfast.adapters.sinks.opening import open_sink
from holdfast.core.evidence.sink_memory import (
    MemoryKind,
    SinkMemory,
    Skips,
    unreadable_memory,
)
from holdfast.core.job import UNDECLARED, SinkSpec
from holdfast.core.running.ports import NativeSink
from holdfast.core.secret_text import as_shown, without_password
from holdfast.errors import HoldfastError, InternalError, NotInstalledError, UsageError

FORMS: Final[Mapping[str, str]] = {
    "delta": "delta:FOLDER, of Delta's own sink or of ours",
    "delta-txn": "delta-txn:FOLDER?app=ID, written with txnAppId",
    "spark-files": "spark-files:FOLDER, of Spark's file sink (also parquet:, lines:)",
    "iceberg": "iceberg:FOLDER or iceberg:CATALOG.NAMESPACE.TABLE",
    "sqlite": "sqlite:FILE?table=NAME",
    "postgres": "postgres:postgresql://USER:PASSWORD@HOST:PORT/DATABASE?table=SCHEMA.NAME",
    "mysql": "mysql:mysql://USER:PASSWORD@HOST:PORT/DATABASE?table=NAME",
    "files": "files:FOLDER, of our sink `files`",
    "kafka": "kafka:HOST:PORT/TOPIC",
    "own": "own:CHECKPOINT?sink=NAME, of our sinks `python` and `http`",
    "none": "none, of a sink that keeps no memory",
}
_FILE_SINKS = ("spark-files", "parquet", "spark-parquet", "lines", "spark-lines", "file")
_FILE_FORMATS = ("parquet", "csv", "json", "orc", "text", "avro")
_FORGETFUL = ("kafka", "console", "memory", "noop")
_KIND_OF: Mapping[str, tuple[MemoryKind, Skips]] = {
    # What is said of a sink that could not be asked.
    "delta": ("delta", "at-or-below"),
    "delta-txn": ("delta-txn", "at-or-below"),
    "iceberg": ("iceberg", "at-or-below"),
    "sqlite": ("sql", "checked"),
    "postgres": ("sql", "checked"),
    "mysql": ("sql", "checked"),
    "sql": ("sql", "checked"),
    "files": ("files", "checked"),
    "kafka": ("kafka", "checked"),
    "own": ("own", "checked"),
    "python": ("own", "checked"),
    "http": ("own", "checked"),
    "none": ("none", "never"),
    **dict.fromkeys(_FILE_SINKS, ("file-sink", "at-or-below")),
}
_NEEDS = {
    "deltalake": "pip install 'holdfast[delta-rs]'",
    "pyarrow": "pip install 'holdfast[delta-rs]'",
    "pyiceberg": "pip install 'holdfast[iceberg]'",
    "sqlalchemy": "pip install 'holdfast[sql]'",
    "confluent_kafka": "pip install 'holdfast[kafka]'",
}


def read_memory(
    where: str | SinkSpec, query_id: str | None, *, checkpoint: str | None = None
) -> SinkMemory:
    """What a sink remembers of a query, and of others; read-only and without Spark.

    What cannot be read comes back as unreadable facts with the reason. Raises UsageError only for
    a text that names no kind of sink. `checkpoint` is where sinks of one's own keep their ledger.
    """
    if isinstance(where, SinkSpec):
        kind, sink = where.kind, _shown_spec(where)
        read = _of_spec(where, query_id, checkpoint)
    else:
        kind, place = _split(where)
        sink = _shown_place(place)
        read = _of_text(kind, place, query_id)
    memory_kind, skips = _KIND_OF.get(kind, ("own", "at-or-below"))
    try:
        return read()
    except HoldfastError as error:
        return unreadable_memory(sink, memory_kind, skips, error)
    except Exception as error:  # noqa: BLE001 - a library's mistake must not hide the other ledger
        met = InternalError(f"the memory could not be read: {type(error).__name__}")
        return unreadable_memory(sink, memory_kind, skips, met)


def _split(text: str) -> tuple[str, str]:
    kind, _, place = text.partition(":")
    if kind not in FORMS and kind not in _FILE_SINKS:
        forms = "; ".join(FORMS.values())
        raise UsageError(
            "this names no sink whose memory can be read",
            subject=without_password(text),
            next_action=f"use one of: {forms}",
        )
    if kind != "none" and not place:
        raise UsageError("it does not say where", subject=text, next_action=FORMS.get(kind, ""))
    return kind, place


def _of_text(kind: str, place: str, query_id: str | None) -> Callable[[], SinkMemory]:
    def read() -> SinkMemory:
        memory: SinkMemory
        match kind:
            case "none":
                return no_memory(place or "none", "said to keep no memory of batches")
            case "delta":
                memory = _load("holdfast.adapters.memories.delta").read_delta(place, query_id)
            case "delta-txn":
                folder, _, app = place.rpartition("?app=")
                if not folder or not app:
                    raise UsageError("the id is missing", next_action=FORMS[kind])
                memory = _load("holdfast.adapters.memories.delta").read_delta(
                    folder, query_id, app=unquote(app)
                )
            case "iceberg":
                memory = _load("holdfast.adapters.memories.iceberg").read_iceberg(place, query_id)
            case "sqlite" | "postgres" | "mysql":
                sql = _load("holdfast.adapters.memories.sql")
                memory = sql.read_sql(**sql.sql_place(kind, place), query_id=query_id, ours=False)
            case "files":
                memory = _load("holdfast.adapters.memories.files").read_files(place, None, query_id)
            case "kafka":
                servers, _, topic = place.rpartition("/")
                options = {"servers": servers, "topic": topic}
                memory = _load("holdfast.adapters.memories.kafka").read_kafka(
                    options, query_id, ours=False
                )
            case "own":
                own = _load("holdfast.adapters.memories.own")
                memory = own.read_own(*own.own_place(place), query_id)
            case _:
                memory = _load("holdfast.adapters.memories.file_sink").read_file_sink(place)
        return memory

    return read


def _of_spec(
    spec: SinkSpec, query_id: str | None, checkpoint: str | None
) -> Callable[[], SinkMemory]:
    options = spec.options

    def read() -> SinkMemory:
        memory: SinkMemory
        match spec.kind:
            case "delta":
                ledger = options.get("mode") not in (None, "append") or _is_true(options, "ledger")
                memory = _load("holdfast.adapters.memories.delta").read_delta(
                    _path(spec), query_id, ledger=ledger
                )
            case "sql":
                place = {name: options.get(name) for name in ("url", "table", "schema", "password")}
                memory = _load("holdfast.adapters.memories.sql").read_sql(
                    **place, query_id=query_id
                )
            case "files":
                ledger_folder = options.get("ledger")
                memory = _load("holdfast.adapters.memories.files").read_files(
                    _path(spec), ledger_folder, query_id
                )
            case "kafka":
                memory = _load("holdfast.adapters.memories.kafka").read_kafka(options, query_id)
            case "python" | "http":
                own = _load("holdfast.adapters.memories.own")
                memory = own.read_own(own.own_name(spec.kind, options), checkpoint, query_id)
            case "file":
                memory = _load("holdfast.adapters.memories.file_sink").read_file_sink(_path(spec))
            case _:
                memory = _of_other(spec, query_id)
        return memory

    return read


def _of_other(spec: SinkSpec, query_id: str | None) -> SinkMemory:
    """A sink of another package: what Spark writes for it, or its own word."""
    if spec.kind == UNDECLARED:
        raise UsageError(
            "the sink of this query is not declared, so nobody knows where its memory is",
            next_action="name it, as delta:FOLDER for instance",
        )
    sink = open_sink(spec.kind, spec.options)
    if not isinstance(sink, NativeSink):
        told: SinkMemory = _load("holdfast.adapters.memories.own").ask_sink(
            sink, spec.kind, query_id
        )
        return told
    if sink.format in _FORGETFUL:
        return no_memory(_shown_spec(spec), f"Spark's sink of format {sink.format} has no memory")
    if sink.path is not None and sink.format in ("delta", "iceberg", *_FILE_FORMATS):
        kind = "spark-files" if sink.format in _FILE_FORMATS else sink.format
        return _of_text(kind, sink.path, query_id)()
    raise UsageError(
        f"nothing is known of the memory of a sink of format {sink.format!r}",
        subject=spec.kind,
        next_action="look at the table itself before a restart",
    )


def _path(spec: SinkSpec) -> str:
    path = spec.options.get("path")
    if not isinstance(path, str) or not path.strip():
        raise UsageError(f"{spec.kind} sink: option 'path' is missing", next_action="add path: …")
    return path


def _is_true(options: Mapping[str, Any], name: str) -> bool:
    return str(options.get(name, "")).lower() == "true"


def _shown_spec(spec: SinkSpec) -> str:
    """Where a declared sink is, without what may be secret."""
    for name in ("path", "url", "servers", "name", "function"):
        value = spec.options.get(name)
        if isinstance(value, str):
            return _shown_place(as_shown(value))
    return spec.kind


def _shown_place(place: str) -> str:
    """A place as it may be shown: what follows `?` names a table or an id, or holds secrets."""
    return without_password(place.partition("?")[0]) or "none"


def _load(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        raise NotInstalledError(
            f"reading the memory of this sink needs {error.name}",
            next_action=_NEEDS.get(library, f"pip install {error.name}"),
        ) from error
