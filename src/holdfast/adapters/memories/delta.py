"""The memory of a Delta table: the highest transaction version of each id, read by delta-rs.

Delta's own sink writes under the query id, one version for a batch. Our sink packs epoch and batch
into one number, under an id of its own (sinks/delta_mark.py). Code in foreachBatch chooses the id.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pyarrow.lib
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from holdfast.adapters.memories.delta_commits import DeltaCommit, DeltaCommits
from holdfast.adapters.sinks.delta_mark import application_id, mark_of, read_note
from holdfast.adapters.storage.opening import local_path, open_storage, shown
from holdfast.core.evidence.sink_memory import (
    MarkedBatch,
    MemoryKind,
    SinkMemory,
    Skips,
    missing_memory,
    newest_marks,
    other_writers,
)
from holdfast.core.fact import Absent, Fact, Known
from holdfast.core.secret_text import SecretText, as_shown, hide
from holdfast.errors import MalformedError, UnreachableError

Writer = Literal["native", "ledger", "application"]
"""Delta's own sink, our sink, or code that names an id of its own (txnAppId)."""

RETENTION: Final = "delta.setTransactionRetentionDuration"
_OURS: Final = "holdfast:"
_INTERVAL = re.compile(r"(\d+)\s+(millisecond|second|minute|hour|day|week)s?", re.I)
_REMOVING = ("RESTORE", "DELETE", "TRUNCATE", "REPLACE TABLE", "CREATE OR REPLACE TABLE")
_UNIT_MS = {
    "millisecond": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
}
# A person waits: give up on a silent store in seconds.
_STORE = {"timeout": "15s", "connect_timeout": "4s", "max_retries": "2", "retry_timeout": "20s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKey:
    """Under which id the marks are, and who writes so."""

    app: str
    writer: Writer
    query_id: str | None

    def batch(self, version: int) -> int | None:
        """The batch that a transaction version stands for."""
        return mark_of(version).last_batch if self.writer == "ledger" else version


def read_delta(
    path: str, query_id: str | None, *, app: str | None = None, ledger: bool | None = None
) -> SinkMemory:
    """Read what a table remembers; raises HoldfastError where it cannot be read.

    `app` names the id of txnAppId; `ledger` tells whether our sink writes, None where nobody
    knows: then the id that the table has decides.
    """
    sink = shown(as_shown(path))
    kind: MemoryKind = "delta" if app is None else "delta-txn"
    skips: Skips = "checked" if ledger else "at-or-below"
    table = open_table(path)
    if table is None:
        return missing_memory(sink, kind, skips, "there is no Delta table here yet")
    remote = local_path(str(path)) is None
    try:
        log = DeltaCommits(table, remote=remote)
        commits = log.newest()
        known = log.known_writers(commits[-1].version if commits else table.version() + 1)
        key = key_of(table, path, query_id, app, ledger)
        version = None if key is None else table.transaction_version(key.app)
        metadata = table.metadata()
    except (DeltaError, OSError, ValueError, pyarrow.lib.ArrowException) as error:
        raise _failed(error, path, sink) from error
    last = None if key is None or version is None else key.batch(version)
    batches, notes = _listed(commits, key, last)
    forgets, odd = _retention(metadata.configuration)
    if known is None:
        notes += (f"other writers are looked for in the last {len(commits)} versions only",)
    return SinkMemory(
        sink=sink,
        kind=kind,
        exists=True,
        key=_fact(sink, None if key is None or version is None else key.app),
        last=Absent(f"{sink}/_delta_log") if last is None else Known(last, f"{sink}/_delta_log"),
        skips="checked" if key is not None and key.writer == "ledger" else skips,
        table_id=_fact(sink, str(metadata.id)),
        others=other_writers(_others(table, commits, known or {}, key)),
        batches=batches,
        # Code in foreachBatch may leave batches out, empty ones for instance: a hole says nothing.
        oldest_known=batches[-1].batch if batches and app is None else None,
        removals=tuple(_removals(commits, key)),
        forgets_after_ms=forgets,
        notes=notes + odd,
        version=table.version(),
    )


def _removals(commits: Sequence[DeltaCommit], key: TableKey | None) -> Iterator[str]:
    """Commits of others that took rows out, as far back as the log was looked at."""
    for commit in commits:
        if key is not None and key.app in commit.transactions:
            continue
        overwrites = str(commit.parameters.get("mode", "")).lower() == "overwrite"
        # A table that is made by an overwrite had no rows to lose.
        if commit.operation.upper() in _REMOVING or (overwrites and commit.version > 0):
            yield f"{commit.operation} at version {commit.version:,}"


def open_table(path: str) -> DeltaTable | None:
    """The table, None where there is none; raises HoldfastError where it cannot be opened."""
    sink = shown(as_shown(path))
    local = local_path(str(path))
    if local is not None:
        try:
            folders = open_storage(str(path)).entries().folders
        except UnreachableError as error:
            if error.why == "missing":
                return None
            raise
        if "_delta_log" not in folders:
            if "_spark_metadata" in folders:
                raise MalformedError(
                    "this is the output of Spark's file sink and no Delta table: it has "
                    "_spark_metadata and no _delta_log",
                    subject=sink,
                    next_action="ask for its memory as spark-files:…",
                )
            return None
    try:
        place = str(path) if local is None else str(local.absolute())
        return DeltaTable(place, storage_options=None if local is not None else _store_options())
    except TableNotFoundError:
        if local is not None:
            raise MalformedError(
                "there is a _delta_log, and no version in it can be read", subject=sink
            ) from None
        return None
    except (DeltaError, OSError, ValueError) as error:
        raise _failed(error, path, sink) from error


def _store_options() -> dict[str, str]:
    """What delta-rs has to be told; credentials it finds itself, by the usual variables."""
    plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
    return {**_STORE, **({"allow_http": "true"} if plain else {})}


def _failed(error: Exception, path: str, sink: str) -> UnreachableError:
    lines = [line.strip(" ↳\t") for line in re.sub(r"\x1b\[\d+m", "", str(error)).splitlines()]
    said = ": ".join(line for line in lines if line).partition("<?xml")[0] or type(error).__name__
    secrets = (path,) if isinstance(path, SecretText) else ()
    return UnreachableError(
        f"the table cannot be read: {hide(said, secrets)[:300]}",
        subject=sink,
        next_action="check the location, the credentials and the protocol version of the table",
    )


def key_of(
    table: DeltaTable, path: str, query_id: str | None, app: str | None, ledger: bool | None
) -> TableKey | None:
    """Under which id a table keeps the marks of a query; None where the query is not known."""
    if app is not None:
        return TableKey(app=app, writer="application", query_id=query_id)
    if query_id is None:
        return None
    name = str(path).rstrip("/").rpartition("/")[2]
    ours = TableKey(app=application_id(query_id, name), writer="ledger", query_id=query_id)
    native = TableKey(app=query_id, writer="native", query_id=query_id)
    if ledger is not None:
        return ours if ledger else native
    return ours if table.transaction_version(ours.app) is not None else native


def _listed(
    commits: Sequence[DeltaCommit], key: TableKey | None, last: int | None
) -> tuple[tuple[MarkedBatch, ...], tuple[str, ...]]:
    """Marks that still hold, and what is odd about the others."""
    if key is None or last is None:
        return (), ()
    found = [mark for commit in commits if (mark := _mark(commit, key)) is not None]
    above = sum(mark.batch > last for mark in found)
    notes = (
        (
            f"{above} commits are of higher batches than the table remembers: its memory was "
            "lowered after them",
        )
        if above
        else ()
    )
    return newest_marks(mark for mark in found if mark.batch <= last), notes


def _mark(commit: DeltaCommit, key: TableKey) -> MarkedBatch | None:
    batch: int | None
    if key.app in commit.transactions:
        # An epoch of ours that begins repeats the last batch, and brings no rows.
        version = commit.transactions[key.app]
        fence = key.writer == "ledger" and not read_note(commit.note)
        batch = None if fence else key.batch(version)
    elif key.writer == "native" and commit.parameters.get("queryId") == key.query_id:
        epoch = str(commit.parameters.get("epochId", ""))
        batch = int(epoch) if epoch.isdigit() else None
    else:
        return None
    if batch is None:
        return None
    return MarkedBatch(
        batch=batch,
        rows=_rows(commit.metrics),
        at_ms=commit.at_ms,
        where=f"version {commit.version}",
    )


def _rows(metrics: Mapping[str, Any]) -> int | None:
    """Rows that a commit says it wrote; Spark and delta-rs have different names for it.

    A MERGE counts those as well that it only copied: what it inserted and updated is the batch.
    """
    merged = [str(metrics.get(f"numTargetRows{what}", "")) for what in ("Inserted", "Updated")]
    if all(text.isdigit() for text in merged):
        return sum(int(text) for text in merged)
    for name in ("numOutputRows", "num_added_rows"):
        text = str(metrics.get(name, ""))
        if text.isdigit():
            return int(text)
    return None


def _others(
    table: DeltaTable,
    commits: Sequence[DeltaCommit],
    known: Mapping[str, int],
    key: TableKey | None,
) -> list[tuple[str, int | None]]:
    apps = set(known) | {app for commit in commits for app in commit.transactions}
    if key is not None:
        apps.discard(key.app)
    found: list[tuple[str, int | None]] = []
    for app in sorted(apps):
        version = table.transaction_version(app)
        if version is not None:
            packed = app.startswith(_OURS)
            found.append((app, mark_of(version).last_batch if packed else version))
    return found


def _retention(configuration: Mapping[str, Any]) -> tuple[int | None, tuple[str, ...]]:
    """After how long the table forgets a writer, and what to say where that cannot be read."""
    text = configuration.get(RETENTION)
    if text is None:
        return None, ()
    found = _INTERVAL.findall(str(text))
    if not found:
        return None, (f"{RETENTION} is {str(text)[:60]!r}: the table forgets, when is not known",)
    return sum(int(number) * _UNIT_MS[unit.lower()] for number, unit in found), ()


def _fact(sink: str, value: str | None) -> Fact[str]:
    origin = f"{sink}/_delta_log"
    return Absent(origin) if value is None else Known(value, origin)
