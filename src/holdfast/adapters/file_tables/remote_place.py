"""A table of plain files in S3, where several objects cannot appear together.

The mark of a batch is one conditional put, so whoever reads by the ledger sees whole batches only.
Its objects are then copied, each by the store itself, to where readers of the folder look: those
may see a part of the newest batch for that long, and never a row that has no mark, or one twice.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from holdfast.adapters.file_tables.place import (
    LOG,
    STAGING,
    Addresses,
    Swept,
    differs,
    epoch_of_staged,
    is_data,
)
from holdfast.adapters.records.remote import RemoteRecords
from holdfast.adapters.storage.opening import open_storage
from holdfast.adapters.storage.remote import unreachable
from holdfast.core.running.file_ledger import Entry
from holdfast.errors import HoldfastError, MalformedError, RefusedError, UnreachableError

_SWEEP_S_MAX = 20.0
"""A start must not wait for ever for what a killed one has left; the next one goes on."""


class RemotePlace:
    """Implements file_tables.place.Place."""

    def __init__(
        self, addresses: Addresses, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Nothing is asked of the store yet."""
        table: Any = open_storage(addresses.table)
        ledger: Any = open_storage(addresses.ledger)
        self._fs = table._fs
        self._table = str(table._root)
        self._ledger = str(ledger._root)
        self._addresses = addresses
        self._shown = str(table.location)
        self._clock = clock
        self.records = RemoteRecords(str(ledger.location), ledger._fs, self._ledger)

    def stage(self, staged: str) -> str:
        """A store needs no folders."""
        return self._addresses.staged(staged)

    def staged_files(self, staged: str) -> Sequence[tuple[str, int]]:
        """Data files alone; what else lies there is never copied."""
        found = self._sizes(self._staged(staged))
        return sorted((name, size) for name, size in found.items() if is_data(name))

    def secure(self, staged: str, files: Sequence[tuple[str, int]]) -> Sequence[str | None]:
        """Nothing: an object that a store has taken is durable, and reading it again is dear."""
        return [None] * len(files)

    def publish(self, entry: Entry) -> None:
        """Copy what is not at its place yet, then remove what was aside."""
        if entry.folder is None or entry.staged is None:
            return
        target, source = f"{self._table}/{entry.folder}", self._staged(entry.staged)
        there = self._sizes(target)
        names = {file.path for file in entry.files}
        odd = min((name for name in there if name not in names and is_data(name)), default=None)
        if odd is not None:
            raise RefusedError(
                f"something else lies where the files of batch {entry.batch} belong: {odd}",
                subject=f"{self._shown}/{entry.folder}",
                next_action="move it away, then start again",
            )
        missing = [file.path for file in entry.files if there.get(file.path) != file.size_bytes]
        for name in missing:
            self._copy(entry, f"{source}/{name}", f"{target}/{name}")
        self._remove(source)

    def misfit(self, entry: Entry) -> str | None:
        """One listing."""
        if entry.folder is None:
            return None
        told = differs(entry.files, self._sizes(f"{self._table}/{entry.folder}"))
        return None if told is None else f"{entry.folder}/{told}"

    def misfits(self, entries: Sequence[Entry]) -> Mapping[int, str]:
        """One listing of the whole table, which a store gives a thousand objects at a time."""
        sizes = self._sizes(self._table)
        found: dict[int, str] = {}
        for entry in entries:
            there = {
                file.path: size
                for file in entry.files
                if (size := sizes.get(f"{entry.folder}/{file.path}")) is not None
            }
            told = differs(entry.files, there)
            if told is not None:
                found[entry.number] = f"{entry.folder}/{told}"
        return found

    def is_pending(self, entry: Entry) -> bool:
        """Some of its objects lie aside."""
        return entry.staged is not None and bool(self._sizes(self._staged(entry.staged)))

    def queries(self) -> Sequence[str]:
        """Folders of the log."""
        return sorted({name.split("/")[0] for name in self._sizes(f"{self._ledger}/{LOG}")})

    def discard(self, staged: str) -> None:
        """Every object of the attempt."""
        self._remove(self._staged(staged))

    def sweep(self, query_id: str, below_epoch: int) -> Swept:
        """Only objects below a name as we make them are looked at."""
        folder = self._staged(query_id)
        attempts = sorted({name.split("/")[0] for name in self._sizes(folder)})
        deadline = self._clock() + _SWEEP_S_MAX
        removed = left = 0
        for name in attempts:
            epoch = epoch_of_staged(name)
            if epoch is None or epoch >= below_epoch:
                continue
            if self._clock() > deadline:
                left += 1
                continue
            self._remove(f"{folder}/{name}")
            removed += 1
        return Swept(removed=removed, left=left)

    def holds(self, name: str) -> bool:
        """One small listing."""
        return bool(self._sizes(f"{self._table}/{name}"))

    def file_system(self) -> Any:
        """That of the store."""
        return self._fs

    def foreign(self) -> str | None:
        """The first object in the folder."""
        return min(self._sizes(self._table), default=None)

    def _staged(self, name: str) -> str:
        return f"{self._ledger}/{STAGING}/{name}"

    def _sizes(self, root: str) -> dict[str, int]:
        """Objects below a folder with their sizes, never from a cache."""
        try:
            self._fs.invalidate_cache()
            found = self._fs.find(root, detail=True, withdirs=False)
        except FileNotFoundError:
            return {}
        except Exception as error:
            raise self._unreachable(error) from error
        prefix = f"{root.strip('/')}/"
        return {
            str(path).lstrip("/").removeprefix(prefix): int(info.get("size") or 0)
            for path, info in found.items()
            if str(path).lstrip("/").startswith(prefix)
            and not str(path).endswith("/")
            and info.get("type") != "directory"
        }

    def _copy(self, entry: Entry, source: str, target: str) -> None:
        try:
            self._fs.cp_file(source, target)
        except FileNotFoundError as error:
            # Another start may have copied it and removed what was aside.
            if self.misfit(entry) is None:
                return
            raise MalformedError(
                f"the files of batch {entry.batch} are gone, and the ledger has the batch",
                subject=f"{self._shown}/{entry.folder}",
                next_action="find out who removed them, and bring them back",
            ) from error
        except Exception as error:
            raise self._unreachable(error) from error

    def _remove(self, root: str) -> None:
        """What cannot be removed now is left to the next sweep: nobody sees it."""
        try:
            names = [f"{root}/{name}" for name in self._sizes(root)]
            if names:
                self._fs.rm(names)
        except (HoldfastError, OSError):
            return

    def _unreachable(self, error: BaseException) -> UnreachableError:
        said = unreachable(error, self._shown)
        return UnreachableError(said.message, subject=said.subject, next_action=said.next_action)
