"""Looking, for the guards, at a checkpoint that is to start: what lies there, and what we remember.

Only names and a few small files are read. That nothing is there is an answer; a store that gives
none raises UnreachableError, and nothing is started on a guess.
"""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.storage.around import RECORDS, folders_above, records_folder
from holdfast.adapters.storage.opening import open_storage
from holdfast.core.fact import Absent, Fact, Known, Unreadable, interpret
from holdfast.core.formats.log_name import split_batch_ids
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.guards.location import place_digest
from holdfast.core.guards.start.evidence import (
    DATA_LOGS,
    NOTHING,
    Above,
    DataLog,
    Found,
    Neighbour,
    Remembered,
)
from holdfast.core.limits import (
    FOLDERS_ABOVE_MAX,
    FOLDERS_INSIDE_MAX,
    LOG_BYTES_MAX,
    RECORDS_NEARBY_MAX,
)
from holdfast.core.parts import METADATA
from holdfast.core.ports import Storage
from holdfast.core.reading.survey import KNOWN_ENTRIES
from holdfast.core.running.ports import Records
from holdfast.core.running.run import (
    IDENTITY,
    RUNS,
    Identity,
    RunResult,
    RunStart,
    decode_record,
)
from holdfast.core.tree import Entries
from holdfast.errors import CheckpointError, HoldfastError, MalformedError, UnreachableError
from holdfast.flows.journal import Effect, read_journal

SEALS = "seals"
_WORKERS = 16
"""Looks that go out together: an object store answers in 50 ms and does not mind."""

_ENDS_READ_MAX = 5
"""Ends of runs that are read for the newest one with a query id; most have it."""

_DELTA_FILES = ("_delta_log/_last_checkpoint", "_delta_log/00000000000000000000.json")
"""One of them is there in nearly every Delta table; its log itself may be very long to list."""


def look_at_checkpoint(location: str) -> Found:
    """What lies at a location, without going through its batches and its state."""
    try:
        storage = open_storage(location)
        entries = storage.entries()
    except UnreachableError as error:
        if error.why == "missing":
            return NOTHING
        raise
    return Found(
        exists=True,
        query_id=_query_id(storage),
        planned=_newest(storage, entries, "offsets"),
        committed=_newest(storage, entries, "commits"),
        has_state=bool({"state", "sources"} & set(entries.folders)),
        data_logs=tuple(log for log in DATA_LOGS if log in entries.folders),
        checkpoints_inside=tuple(_checkpoints_inside(storage, entries)),
    )


def look_above(location: str) -> tuple[Above, ...]:
    """Folders above a checkpoint that are a checkpoint or a table, the nearest first."""
    folders = folders_above(location, FOLDERS_ABOVE_MAX)
    if all(folder.reads_are_cheap for folder, _ in folders):
        looked = [_look_above(folder, below) for folder, below in folders]
    else:
        with ThreadPoolExecutor(max_workers=_WORKERS) as pool:
            looked = list(pool.map(lambda each: _look_above(*each), folders))
    return tuple(above for above in looked if above is not None)


def look_at_neighbours(location: str) -> tuple[Neighbour, ...]:
    """Identities of the other checkpoints beside this one that ever ran under Holdfast."""
    beside = records_folder(location)
    if beside is None:
        return ()
    folder, own = beside
    try:
        names = [name for name in folder.entries().folders if name != own][:RECORDS_NEARBY_MAX]
    except UnreachableError as error:
        if error.why == "missing":
            return ()
        raise
    with ThreadPoolExecutor(max_workers=_WORKERS) as pool:
        found = pool.map(partial(_neighbour, folder), names)
        return tuple(neighbour for neighbour in found if neighbour is not None)


def remember(checkpoint: str, records: Records) -> Remembered:
    """What our records say of the checkpoint at a location."""
    identity = _identity(records)
    runs = records.names(RUNS)
    operations = read_journal(records)
    ended = _newest_end(records, runs)
    is_elsewhere = isinstance(identity, Known) and not _is_here(identity.value, checkpoint)
    return Remembered(
        identity=identity,
        newest_start=_newest_start(records, runs),
        ended_query_id=ended.query_id if ended is not None else None,
        last_batch=_last_batch(records, runs, operations.newest),
        open_operation=operations.open,
        is_elsewhere=is_elsewhere,
        still_at_old_place=_still_there(identity) if is_elsewhere else None,
    )


def _query_id(storage: Storage) -> Fact[str]:
    content = storage.read([METADATA], LOG_BYTES_MAX)[METADATA]
    if isinstance(content, UnreachableError) and content.why != "odd":
        raise UnreachableError(
            content.message,
            subject=f"{storage.location}/{METADATA}",
            next_action=content.next_action or "check the permissions, then try again",
            why=content.why,
        )
    return interpret(METADATA, content, parse_query_metadata)


def _newest(storage: Storage, entries: Entries, log: str) -> int | None:
    if log not in entries.folders:
        return None
    try:
        ids, _ = split_batch_ids(storage.at(log).entries().files)
    except UnreachableError as error:
        if error.why == "missing":
            return None
        raise
    return ids[-1] if ids else None


def _checkpoints_inside(storage: Storage, entries: Entries) -> Iterator[str]:
    if RECORDS in entries.folders:
        yield RECORDS
    others = [name for name in entries.folders if name not in KNOWN_ENTRIES]
    for part in ("state", "sources"):
        if part in entries.folders:
            inside = storage.at(part).entries().folders
            others += [f"{part}/{name}" for name in inside if not name.isdigit()]
    others = [f"{name}/{METADATA}" for name in others[:FOLDERS_INSIDE_MAX]]
    for name, content in storage.read(others, LOG_BYTES_MAX).items():
        if isinstance(interpret(name, content, parse_query_metadata), Known):
            yield name.removesuffix(f"/{METADATA}")


def _look_above(folder: Storage, below: str) -> Above | None:
    contents = folder.read([METADATA, *_DELTA_FILES], LOG_BYTES_MAX)
    for content in contents.values():
        if isinstance(content, UnreachableError) and content.why == "unanswered":
            raise content
    metadata = interpret(METADATA, contents[METADATA], parse_query_metadata)
    logs: list[DataLog] = []
    if _is_listed(folder, "_spark_metadata"):
        logs.append("_spark_metadata")
    if any(isinstance(contents[name], bytes | CheckpointError) for name in _DELTA_FILES):
        logs.append("_delta_log")
    is_checkpoint = isinstance(metadata, Known)
    if not is_checkpoint and not logs:
        return None
    return Above(
        location=folder.location, is_checkpoint=is_checkpoint, data_logs=tuple(logs), below=below
    )


def _is_listed(folder: Storage, name: str) -> bool:
    """Whether a folder inside holds anything; one that may not be listed is passed over."""
    try:
        entries = folder.at(name).entries()
    except UnreachableError as error:
        if error.why == "unanswered":
            raise
        return False
    return bool(entries.files or entries.folders)


def _neighbour(folder: Storage, name: str) -> Neighbour | None:
    path = f"{name}/{IDENTITY}"
    content = folder.read([path], LOG_BYTES_MAX)[path]
    if isinstance(content, UnreachableError) and content.why == "unanswered":
        raise content
    identity = interpret(path, content, _parse_identity)
    # Whoever owns a damaged record is told so at the start of that job.
    return Neighbour(folder=name, identity=identity.value) if isinstance(identity, Known) else None


def _identity(records: Records) -> Fact[Identity]:
    try:
        data = records.read(IDENTITY)
    except CheckpointError as error:
        return Unreadable(f"{records.location}/{IDENTITY}", error.message, error.code)
    return interpret(f"{records.location}/{IDENTITY}", data, _parse_identity)


def _parse_identity(data: bytes) -> Identity:
    identity = decode_record(Identity, data)
    texts = (identity.job, identity.query_id, identity.checkpoint) if identity is not None else ()
    if identity is None or not all(isinstance(text, str) and text for text in texts):
        raise MalformedError("it does not hold a job, a query id and a checkpoint")
    return identity


def _newest_start(records: Records, runs: Any) -> RunStart | None:
    names = [name for name in runs if name.endswith(".start")]
    data = records.read(f"{RUNS}/{names[-1]}") if names else None
    start = decode_record(RunStart, data) if data is not None else None
    return start if start is not None and isinstance(start.job, str) else None


def _newest_end(records: Records, runs: Any) -> RunResult | None:
    """The newest end of a run that names its query."""
    for _, end in _ends(records, runs):
        if isinstance(end.query_id, str):
            return end
    return None


def _ends(records: Records, runs: Any) -> Iterator[tuple[int, RunResult]]:
    names = [name for name in runs if name.endswith(".end")]
    for name in reversed(names[-_ENDS_READ_MAX:]):
        data = records.read(f"{RUNS}/{name}")
        end = decode_record(RunResult, data) if data is not None else None
        number = name.removesuffix(".end")
        if end is not None and number.isdigit():
            yield int(number), end


def _last_batch(records: Records, runs: Any, operation: Effect | None) -> int | None:
    """The last finished batch of the newest epoch that tells of one: by its seals, by its end.

    Not the highest of all epochs: a checkpoint may have been set back on purpose in between, and
    an operation that is in effect says how far it reaches since.
    """
    told: dict[int, int] = {}
    for epoch, end in _ends(records, runs):
        # An idle query reports the number of the batch that it waits for, which was never planned.
        if isinstance(end.last_batch, int) and end.last_batch > 0:
            told[epoch] = end.last_batch - 1
    for epoch, batch in _sealed(records):
        told[epoch] = max(batch, told.get(epoch, batch))
    if operation is not None:
        told = {epoch: batch for epoch, batch in told.items() if epoch > operation.epoch}
        if not told:
            return operation.last_batch
    return told[max(told)] if told else None


def _sealed(records: Records) -> Iterator[tuple[int, int]]:
    """The last seal of the newest segment, which a killed run leaves as well."""
    names = [name for name in records.names(SEALS) if name.endswith(".jsonl")]
    epoch = names[-1].partition("-")[0] if names else ""
    data = records.read(f"{SEALS}/{names[-1]}") if epoch.isdigit() else None
    for line in reversed((data or b"").split(b"\n")):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue  # torn or damaged: an earlier one tells of an earlier batch
        batch = value.get("batch") if isinstance(value, Mapping) else None
        if isinstance(batch, int):
            yield int(epoch), batch
            return


def _is_here(identity: Identity, location: str) -> bool:
    """Whether a record is about this location, however it is spelled and whatever links lead."""
    if place_digest(location) == (identity.place or place_digest(identity.checkpoint)):
        return True
    if not _is_plain(identity):
        return False
    try:
        return open_records(identity.checkpoint).location == open_records(location).location
    except HoldfastError:
        return False


def _is_plain(identity: Identity) -> bool:
    """Whether the location in a record is the real one, and not the name of a variable."""
    return identity.place in ("", place_digest(identity.checkpoint))


def _still_there(identity: Fact[Identity]) -> bool | None:
    """Whether the checkpoint lies at its old place too; only for the words of the finding."""
    if not isinstance(identity, Known) or not _is_plain(identity.value):
        return None
    try:
        found = look_at_checkpoint(identity.value.checkpoint).query_id
    except HoldfastError:
        return None
    if isinstance(found, Absent):
        return False
    return isinstance(found, Known) and found.value == identity.value.query_id
