"""Which versions of a Delta table hold batches after a given one; read-only, through delta-rs."""

import os
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

import pyarrow
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from holdfast.adapters.memories.delta import TableKey, key_of, open_table
from holdfast.adapters.memories.delta_commits import DeltaCommit, DeltaCommits
from holdfast.adapters.storage.opening import local_path
from holdfast.core.plans.table_span import TableSpan
from holdfast.errors import RefusedError, UnreachableError

_SAME_ROWS: Final = frozenset({"OPTIMIZE", "VACUUM START", "VACUUM END"})
"""Operations of others that leave every row as it is."""


def span_after(
    path: str, query_id: str | None, keep: int, *, app: str | None, ledger: bool | None
) -> TableSpan | None:
    """The span of all batches after `keep`; None where the table knows nothing of the query."""
    table = open_table(path)
    if table is None:
        return None
    key = key_of(table, path, query_id, app, ledger)
    mark = None if key is None else table.transaction_version(key.app)
    if key is None or mark is None:
        return None
    try:
        commits = DeltaCommits(table, remote=local_path(path) is None).newest()
        beyond, complete = _beyond(commits, key, keep)
        first = beyond[-1].version if beyond else None
        hinders = None
        if first is not None:
            hinders = _hinders(commits, key, first, complete=complete)
        to_version = None if first is None else first - 1
        rows = _rows(table)
        version, kept = table.version(), rows
        if to_version is not None and hinders is None:
            files = set(table.file_uris())
            table.load_as_version(to_version)
            kept = _rows(table)
            hinders = _gone(set(table.file_uris()) - files)
    except (DeltaError, OSError, ValueError) as error:
        raise UnreachableError(
            f"the history of the table cannot be read: {str(error)[:300]}", subject=path
        ) from error
    return TableSpan(
        place=path,
        app=key.app,
        packed=key.writer == "ledger",
        version=version,
        mark=mark,
        to_version=to_version,
        rows=rows,
        rows_kept=kept,
        hinders=hinders,
    )


def _beyond(
    commits: Sequence[DeltaCommit], key: TableKey, keep: int
) -> tuple[list[DeltaCommit], bool]:
    """Commits of the query after `keep`, newest first, and whether none can be older still."""
    beyond: list[DeltaCommit] = []
    for commit in commits:
        if not _is_of(commit, key):
            continue
        batch = _batch(commit, key)
        if batch is None or batch <= keep:
            return beyond, True
        beyond.append(commit)
    return beyond, bool(commits) and commits[-1].version == 0


def _hinders(
    commits: Sequence[DeltaCommit], key: TableKey, first: int, *, complete: bool
) -> str | None:
    if not complete:
        return f"its log goes back to version {commits[-1].version:,} only"
    if first == 0:
        return "the table was made by one of these batches, and has no version before it"
    for commit in commits:
        if commit.version < first:
            break
        if not _is_of(commit, key) and commit.operation.upper() not in _SAME_ROWS:
            what = commit.operation or "a commit"
            return f"somebody else wrote to it in between: {what} at version {commit.version:,}"
    return None


def _is_of(commit: DeltaCommit, key: TableKey) -> bool:
    return key.app in commit.transactions or (
        key.writer == "native" and commit.parameters.get("queryId") == key.query_id
    )


def _batch(commit: DeltaCommit, key: TableKey) -> int | None:
    if key.app in commit.transactions:
        return key.batch(commit.transactions[key.app])
    epoch = str(commit.parameters.get("epochId", ""))
    if not epoch.isdigit():
        raise RefusedError(f"version {commit.version:,} of the table does not say its batch")
    return int(epoch)


def _rows(table: DeltaTable) -> int | None:
    actions = pyarrow.table(table.get_add_actions(flatten=True))
    if "num_records" not in actions.column_names:
        return 0 if actions.num_rows == 0 else None
    counts = actions.column("num_records").to_pylist()
    return None if None in counts else sum(counts)


def _gone(uris: set[str]) -> str | None:
    """Files that the earlier version needs and a VACUUM removed; asked of local tables only."""
    for uri in sorted(uris):
        parts = urlsplit(uri)
        if parts.scheme not in ("", "file"):
            return None
        name = unquote(parts.path) if parts.scheme else uri
        if not os.path.exists(name):
            return f"a file of the earlier version was removed by a VACUUM: {name}"
    return None
