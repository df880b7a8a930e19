"""Ask a source what it still has: by its declaration, or spelled as `--source` spells it."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from holdfast.adapters.sources.kafka_place import (
    SERVERS,
    KafkaPlace,
    place_of_spec,
    place_of_text,
)
from holdfast.adapters.storage.opening import shown
from holdfast.core.evidence.source_state import PartState, SourceKind, SourceState
from holdfast.core.fact import Absent, Fact, Known, Unreadable
from holdfast.core.formats.file_source_log import FileSourceEntry
from holdfast.core.job import SourceSpec
from holdfast.core.offsets.registry import SourceOffset
from holdfast.core.secret_text import SecretText, hide
from holdfast.errors import HoldfastError, NotInstalledError, UsageError

SPELLINGS = {
    "kafka": "kafka:HOST:PORT/TOPIC",
    "delta": "delta:PATH",
    "files": "files:PATH",
    "iceberg": "iceberg:PATH",
}
_KINDS: dict[str, SourceKind] = {
    "kafka": "kafka",
    "delta": "delta",
    "file": "files",
    "iceberg": "iceberg",
    "rate": "rate",
    "rate-micro-batch": "rate",
}
"""Kinds of offsets, and of the sources that wrote them."""

_FILE_FORMATS = ("json", "csv", "parquet", "text", "orc", "avro", "files")
_NEEDS = {"confluent_kafka": "kafka", "deltalake": "delta-rs"}
_NOTHING_LOGGED: Fact[tuple[FileSourceEntry, ...]] = Absent("sources/")

Spec = SourceSpec | str | None


def read_source(
    spec: Spec,
    offset: SourceOffset | None,
    *,
    position: int = 0,
    planned: SourceOffset | None = None,
    remembered: Fact[str] | None = None,
    file_log: Fact[tuple[FileSourceEntry, ...]] = _NOTHING_LOGGED,
) -> SourceState:
    """Hold the position from which a restart reads on against the source itself.

    `planned` is where the newest plan ends; `remembered` the identity that our records have of a
    source whose offsets carry none. A source that cannot be asked is an answer too (`problem`);
    raises UsageError only for a text that is no source.
    """
    told = offset if offset is not None else planned
    given = parse_source(spec) if isinstance(spec, str) else spec
    kind = kind_of_offset(told) if told is not None else _kind_of_spec(given)
    state = SourceState(
        position=position,
        kind=kind,
        where=where_is(given),
        stored_identity=remembered or Absent("the records of runs"),
    )
    if given is not None and _kind_of_spec(given) not in (kind, "other"):
        return _problem(state, f"the position is one of {kind}, and the source is {given.format}")
    if given is None and kind in ("kafka", "delta", "iceberg"):
        return _problem(state, "the checkpoint does not say where it is; name it with --source")
    try:
        return _ASKING[kind](state, given, offset, planned, file_log)
    except HoldfastError as error:
        reason = hide(error.message, _addresses(given))
        return replace(state, problem=Unreadable(state.where or kind, reason, error.code))


def read_identity(spec: SourceSpec) -> Fact[str]:
    """What tells a source from another one of the same name; at the cost of one small request.

    Only of Kafka: positions in Delta name their table, and files are what their names say.
    """
    if spec.format != "kafka":
        return Absent("the offsets")
    origin = "the source"
    try:
        place = place_of_spec(spec)
        if not place.topics:
            return Unreadable(origin, "the topics are given by a pattern or by partitions", "HF001")
        found: str = _probe(place).identity()
    except HoldfastError as error:
        return Unreadable(origin, hide(error.message, _addresses(spec)), error.code)
    return Known(found, place.shown) if found else Unreadable(origin, "no topic has an id", "HF007")


def parse_source(text: str) -> SourceSpec:
    """A source as `--source` spells it; raises UsageError."""
    kind, _, where = text.partition(":")
    if kind not in SPELLINGS or not where:
        raise UsageError(
            "this is no source that can be asked",
            subject=f"--source {kind}:…",
            next_action=f"use one of {', '.join(SPELLINGS.values())}",
        )
    path, options = where, {}
    if kind == "kafka":
        place = place_of_text(where)
        options = {SERVERS: place.servers, "subscribe": ",".join(place.topics)}
    return SourceSpec(
        format=kind,
        path=None if kind == "kafka" else path,
        schema=None,
        options=options,
        job=None,
    )


def where_is(spec: SourceSpec | None) -> str:
    """Where a source is, without credentials; '' where nobody says."""
    if spec is None:
        return ""
    if spec.format == "kafka":
        try:
            return place_of_spec(spec).shown
        except HoldfastError:
            return ""
    return shown(getattr(spec.path, "shown", spec.path)) if spec.path else ""


def kind_of_offset(offset: SourceOffset) -> SourceKind:
    """Which kind of source wrote an offset."""
    return _KINDS.get(offset.kind.name, "other")


def open_kafka(spec: SourceSpec) -> Any:
    """A KafkaProbe for a source; raises HoldfastError."""
    return _probe(place_of_spec(spec))


def _addresses(spec: SourceSpec | None) -> list[str]:
    """Brokers that came from the environment, one by one, as errors of the library name them."""
    servers = spec.options.get(SERVERS) if spec is not None else None
    if not isinstance(servers, SecretText):
        return []
    return [SecretText(str(each), servers.shown) for each in servers.split(",")]


def _kind_of_spec(spec: SourceSpec | None) -> SourceKind:
    if spec is None:
        return "other"
    return "files" if spec.format in _FILE_FORMATS else _KINDS.get(spec.format, "other")


def _ask_kafka(
    state: SourceState, spec: Any, offset: Any, planned: Any, file_log: Any
) -> SourceState:
    stored = offset.value if offset is not None else {}
    answer = _probe(place_of_spec(spec)).ask(stored)
    identity: Fact[str] = Absent("the brokers have no topic ids")
    if answer.identity:
        identity = Known(answer.identity, state.where)
    notes = answer.notes
    if "subscribePattern" in spec.options:
        notes = (*notes, "topics that match the pattern and have no position yet are not counted")
    if offset is None:
        notes = (*notes, "no position is stored yet: where it begins is for startingOffsets to say")
    return replace(state, counts="records", identity=identity, parts=answer.parts, notes=notes)


def _ask_delta(
    state: SourceState, spec: Any, offset: Any, planned: Any, file_log: Any
) -> SourceState:
    delta = _load("holdfast.adapters.sources.delta")
    told = offset if offset is not None else planned
    state = replace(
        state, stored_identity=Known(str(told.kind.identity(told.value)), "the log of offsets")
    )
    place = None
    if offset is not None:
        value = offset.value
        starting = value.get("isStartingVersion") or value.get("isInitialSnapshot")
        place = delta.DeltaPosition(
            version=value["reservoirVersion"],
            index=value.get("index", -1),
            is_starting=bool(starting),
        )
    answer = delta.ask_delta(spec.path, place)
    return replace(
        state,
        counts="versions",
        identity=Known(answer.table_id, state.where),
        parts=(answer.part,),
        missing=answer.missing,
        missing_count=answer.missing_count,
        needed_count=answer.missing_count,
        checked_count=answer.checked,
        notes=answer.notes,
        problem=(
            Unreadable(state.where, answer.problem, "HF007") if answer.problem else state.problem
        ),
    )


def _ask_iceberg(
    state: SourceState, spec: Any, offset: Any, planned: Any, file_log: Any
) -> SourceState:
    iceberg = _load("holdfast.adapters.sources.iceberg")
    answer = iceberg.ask_iceberg(spec.path, None if offset is None else offset.value["snapshot_id"])
    return replace(
        state,
        counts="snapshots",
        identity=Known(answer.table_uuid, state.where),
        parts=(answer.part,),
        notes=answer.notes,
    )


def _ask_files(
    state: SourceState, spec: Any, offset: Any, planned: Any, file_log: Any
) -> SourceState:
    done = _order(offset)
    part = PartState(name="", stored=done)
    if isinstance(file_log, Unreadable):
        return replace(
            state, counts="files", parts=(part,), problem=replace(file_log, origin="sources/")
        )
    entries = file_log.value if isinstance(file_log, Known) else ()
    files = _load("holdfast.adapters.sources.files")
    answer = files.ask_files(spec, entries, done, _order(planned))
    readable: bool | None = False if answer.needed_count else True
    if answer.unlooked_needed and readable:
        readable = None
        state = _problem(state, f"{answer.unlooked_needed:,} files to read gave no answer")
    return replace(
        state,
        counts="files",
        parts=(replace(part, lag=answer.unread, stored_is_readable=readable),),
        missing=tuple(answer.missing),
        missing_count=answer.missing_count,
        altered=tuple(answer.altered),
        altered_count=answer.altered_count,
        needed_count=answer.needed_count,
        checked_count=answer.checked,
        touched=tuple(answer.touched),
        notes=tuple(answer.notes),
    )


def _ask_nothing(
    state: SourceState, spec: Any, offset: Any, planned: Any, file_log: Any
) -> SourceState:
    if state.kind == "rate":
        note = "its rows are made as they are read: nothing waits, and nothing can be lost"
        return replace(state, parts=(PartState(name="", stored=_order(offset)),), notes=(note,))
    return _problem(state, "this kind of source cannot be asked what it still has")


_Ask = Callable[[SourceState, Any, Any, Any, Any], SourceState]
_ASKING: dict[SourceKind, _Ask] = {
    "kafka": _ask_kafka,
    "delta": _ask_delta,
    "iceberg": _ask_iceberg,
    "files": _ask_files,
    "rate": _ask_nothing,
    "other": _ask_nothing,
}


def _order(offset: SourceOffset | None) -> int | None:
    """The number that orders an offset which has one part."""
    if offset is None:
        return None
    positions = offset.kind.positions(offset.value)
    return positions[0].order[0] if positions and positions[0].order else None


def _problem(state: SourceState, reason: str) -> SourceState:
    return replace(state, problem=Unreadable(state.where or state.kind, reason, "HF001"))


def _probe(place: KafkaPlace) -> Any:
    return _load("holdfast.adapters.sources.kafka").KafkaProbe(place)


def _load(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        extra = _NEEDS.get(library, library)
        raise NotInstalledError(
            f"asking this source needs the library {library}: pip install 'holdfast[{extra}]'",
            next_action=f"pip install 'holdfast[{extra}]'",
        ) from error
