"""The newest commits of a Delta table and the writers that its checkpoint knows, through delta-rs.

delta-rs gives the transaction version of an id that one can name. It neither lists the ids nor says
which commit brought which version. Both stand in the log, and are read here through the hand that
delta-rs itself has on the storage, so that credentials are the same.
"""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import pyarrow.fs
import pyarrow.parquet
from deltalake import DeltaTable
from deltalake.fs import DeltaStorageHandler

from holdfast.core.limits import MIB

LOCAL_COMMITS: Final = 200
REMOTE_COMMITS: Final = 20
"""Commits that are looked at on a store, each by two requests; Spark writes a checkpoint of the log
every ten, which has all writers before it."""

COMMIT_BYTES_MAX: Final = 16 * MIB
"""One commit; that of a batch with 10,000 files has about 5."""

_LOG = "_delta_log"
_READS_AT_ONCE = 16
_POINTER_BYTES_MAX = MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaCommit:
    """What a commit says of its writer."""

    version: int
    at_ms: int | None
    operation: str
    parameters: Mapping[str, Any]
    metrics: Mapping[str, Any]
    note: str | None
    """What its writer said to it (userMetadata)."""
    transactions: Mapping[str, int]


class DeltaCommits:
    """The log of one table as it was when it was opened."""

    def __init__(self, table: DeltaTable, *, remote: bool) -> None:
        """Nothing is read yet."""
        self._version = table.version()
        self._remote = remote
        self._files = pyarrow.fs.PyFileSystem(DeltaStorageHandler.from_table(table._table))

    def newest(self) -> list[DeltaCommit]:
        """The newest commits, newest first, without a gap; fewer where older ones are gone."""
        most = REMOTE_COMMITS if self._remote else LOCAL_COMMITS
        versions = range(self._version, max(-1, self._version - most), -1)
        with ThreadPoolExecutor(_READS_AT_ONCE if self._remote else 1) as pool:
            found: list[DeltaCommit] = []
            for commit in pool.map(self._commit, versions):
                if commit is None:
                    break
                found.append(commit)
        return found

    def known_writers(self, oldest_seen: int) -> Mapping[str, int] | None:
        """Ids that the newest checkpoint of the log has; None where some may have been missed.

        `oldest_seen` is the oldest commit that was looked at: none may lie between the two.
        """
        pointer = self._read(f"{_LOG}/_last_checkpoint", _POINTER_BYTES_MAX)
        if pointer is None:
            return {} if oldest_seen == 0 else None
        try:
            said = json.loads(pointer)
            if int(said["version"]) < oldest_seen - 1:
                return None
            writers: dict[str, int] = {}
            for name in _checkpoint_files(said):
                writers |= self._transactions(f"{_LOG}/{name}")
            return writers
        except (ValueError, KeyError, TypeError, OSError, pyarrow.lib.ArrowException):
            return None

    def _transactions(self, path: str) -> dict[str, int]:
        if path.endswith(".json"):
            data = self._read(path, COMMIT_BYTES_MAX)
            return {} if data is None else _actions(data)[1]
        with self._files.open_input_file(path) as file:
            found = pyarrow.parquet.ParquetFile(file, pre_buffer=True).read(columns=["txn"])
        said = found.column("txn").drop_null().to_pylist()
        return {each["appId"]: each["version"] for each in said if each.get("appId") is not None}

    def _commit(self, version: int) -> DeltaCommit | None:
        data = self._read(f"{_LOG}/{version:020d}.json", COMMIT_BYTES_MAX)
        if data is None:
            return None
        info, transactions = _actions(data)
        at = info.get("inCommitTimestamp", info.get("timestamp"))
        note = info.get("userMetadata")
        return DeltaCommit(
            version=version,
            at_ms=at if isinstance(at, int) else None,
            operation=str(info.get("operation", "")),
            parameters=_mapping(info.get("operationParameters")),
            metrics=_mapping(info.get("operationMetrics")),
            note=note if isinstance(note, str) else None,
            transactions=transactions,
        )

    def _read(self, path: str, limit: int) -> bytes | None:
        """The bytes of a file, None where it is not there, cannot be read or is too large."""
        try:
            with self._files.open_input_stream(path) as stream:
                data: bytes = stream.read(limit + 1)
        except (OSError, ValueError):
            return None
        return data if len(data) <= limit else None


def _checkpoint_files(said: Mapping[str, Any]) -> list[str]:
    """The files of the checkpoint that `_last_checkpoint` names, in any of its three layouts."""
    version = f"{int(said['version']):020d}"
    named = _mapping(said.get("v2Checkpoint")).get("path")
    if named:
        return [str(named)]
    parts = said.get("parts")
    if parts:
        return [f"{version}.checkpoint.{n:010d}.{parts:010d}.parquet" for n in range(1, parts + 1)]
    return [f"{version}.checkpoint.parquet"]


def _actions(data: bytes) -> tuple[Mapping[str, Any], dict[str, int]]:
    """What a commit says of itself, and its transactions; lines of files are not decoded."""
    info: Mapping[str, Any] = {}
    transactions: dict[str, int] = {}
    for line in data.splitlines():
        if not line.startswith((b'{"commitInfo"', b'{"txn"')):
            continue
        try:
            action = json.loads(line)
            info = _mapping(action.get("commitInfo")) or info
            if "txn" in action:
                transactions[str(action["txn"]["appId"])] = int(action["txn"]["version"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return info, transactions


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
