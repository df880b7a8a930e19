"""Plain files as a sink that holds every batch exactly once, for every reader.

The engine writes the files of a batch aside. One exclusively created entry of the ledger then is
the batch's mark and its manifest; a writer of a lower epoch finds the number of its entry taken
(core/running/file_ledger.py). Then the files are published: on a disk by one rename, so a reader
of the folder sees all of them or none. A kill in between is mended when the sink is opened next.
"""

import importlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from holdfast.adapters.clock import now_ms
from holdfast.adapters.file_tables.claiming import claim_table
from holdfast.adapters.file_tables.ledger import FileLedger
from holdfast.adapters.file_tables.opening import open_place
from holdfast.adapters.file_tables.place import staged_name
from holdfast.adapters.sinks.batch_check import check_batch
from holdfast.adapters.sinks.files.options import FilesSinkOptions, misfits
from holdfast.adapters.sinks.files.steps import Steps, no_steps
from holdfast.core.running.batch import Batch
from holdfast.core.running.file_ledger import DataFile, Entry, Owner, digest_of
from holdfast.core.running.file_pages import PAGE_SIZES
from holdfast.core.running.ports import TrialTarget
from holdfast.core.secret_text import as_shown
from holdfast.errors import (
    FencedError,
    HoldfastError,
    InternalError,
    MalformedError,
    NotInstalledError,
    RefusedError,
    UnreachableError,
)

REPLAYS_LOOKED_AT = 200
"""A batch that Spark replays is among the last ones."""
_APPENDS_MAX = 20
"""Times that others may come in between; each one is a start or a batch of the same query."""
_ARROW = "holdfast.adapters.sinks.files.by_arrow"


class FilesSink:
    """Implements core.running.ports.BatchSink and TrialSink on plain files."""

    def __init__(
        self,
        options: FilesSinkOptions,
        *,
        steps: Steps = no_steps,
        clock: Callable[[], int] = now_ms,
        page_sizes: Sequence[int] = PAGE_SIZES,
    ) -> None:
        """Touches nothing yet."""
        self._place, self._addresses = open_place(options.path, options.ledger)
        self.name = self._addresses.table.rpartition("/")[2]
        """The folder's own name."""
        self._options = options
        self._shown = as_shown(options.path)
        self._steps = steps
        self._clock = clock
        self._page_sizes = page_sizes
        self._heads: dict[str, Entry] = {}
        """The newest entry of each opened query that this process has seen."""
        self._published: dict[str, int] = {}
        """The number of the entry whose files are known to be published."""
        self._compacted: dict[str, int] = {}
        """The number of the entry up to which pages were made, or left to the next start."""

    def listen(self, steps: Steps) -> None:
        """Tell someone else of the steps."""
        self._steps = steps

    def trial(self, folder: str, run: str) -> TrialTarget:
        """A table of its own for a trial of an audit; its ledger lies beside it."""
        root = f"{folder}/output"
        return TrialTarget(
            options={"path": f"{root}/table", "ledger": f"{root}/_table.ledger"},
            root=root,
            read=f"files:{root}/table",
        )

    def end_trial(self, run: str) -> None:
        """Nothing lies outside the folder."""

    def open(self, query_id: str, epoch: int) -> None:
        """Make the folder ours, raise the fence to this epoch, publish what a kill kept back.

        From then on no writer of a lower epoch can mark a batch, not even one that has begun: the
        number that it would take is taken. Leftovers of lower epochs are removed, within bounds.
        Raises FencedError where a higher epoch was here; RefusedError where the folder is another
        query's or holds something else; MalformedError where ledger or files were altered.
        """
        ours = Owner(
            query=None if self._options.shared else query_id,
            format=self._options.format,
            partition_by=self._options.partition_by,
            batch_column=self._options.batch_column,
        )
        claim_table(self._place, ours, self._shown)
        ledger = self._ledger(query_id)
        head = self._raise_fence(ledger, query_id, epoch, ledger.newest())
        self._heads[query_id] = head
        self._mend(ledger, query_id, head)
        self._place.sweep(query_id, epoch)

    def last_batch(self, query_id: str) -> int | None:
        """The newest batch of this query that the ledger holds; None also before any open."""
        newest = self._ledger(query_id).newest()
        return None if newest is None else newest.last_batch

    def write(self, batch: Batch) -> bool:
        """Write files and mark; False where the ledger holds the batch already.

        Rows or frame are asked for only where the batch has to be written. Raises FencedError
        where a higher epoch has been seen; RefusedError where the columns do not fit, or the
        ledger holds this batch id with other offsets; UnreachableError where the storage fails.
        The same call may be made again in every case: the ledger knows.
        """
        self._check(batch)
        ledger = self._ledger(batch.query_id)
        head = self._caught_up(ledger, batch)
        self._mend(ledger, batch.query_id, head)
        if head.holds(batch.batch_id):
            self._check_replay(ledger, head, batch)
            return False
        self._steps("begin")
        token = uuid.uuid4().hex
        staged = staged_name(batch.query_id, batch.epoch, batch.batch_id, token)
        with self._staging(ledger, batch, staged):
            entry = self._staged_entry(batch, staged, token)
        self._steps("commit")
        marked = self._mark(ledger, batch, entry)
        if marked is None or marked.folder is None:
            self._place.discard(staged)
        if marked is None:
            return False
        self._steps("marked")
        self._publish(batch.query_id, marked)
        self._steps("committed")
        self._compact(ledger, batch.query_id, marked.number)
        return True

    def _staged_entry(self, batch: Batch, staged: str, token: str) -> Entry:
        """Write the files of a batch aside, and say what the ledger will say of them."""
        counted = self._stage(batch, self._place.stage(staged))
        found = self._place.staged_files(staged)
        self._steps("staged")
        rows_of = self._rows_of_files(staged, [name for name, _ in found])
        rows = sum(rows_of) if rows_of is not None else counted or 0
        if counted not in (None, rows) or (rows > 0 and not found):
            raise RefusedError(
                f"batch {batch.batch_id} has {counted or 0:,} rows, and the files seen from here "
                f"hold {rows if found else 0:,}: nothing of it was published",
                subject=self._shown,
                next_action="name a folder that every machine of Spark reaches at the same path",
            )
        digests = self._place.secure(staged, found) if rows else [None] * len(found)
        files = tuple(
            DataFile(path=name, size_bytes=size, rows=rows_of[at] if rows_of else None, digest=d)
            for at, ((name, size), d) in enumerate(zip(found, digests, strict=True))
        )
        return Entry(
            number=0,
            token=token,
            epoch=batch.epoch,
            batch=batch.batch_id,
            last_batch=batch.batch_id,
            last_number=None,
            folder=self._folder(batch.query_id, batch.batch_id) if rows else None,
            staged=staged if rows else None,
            files=files if rows else (),
            rows=rows,
            offsets=batch.offsets,
            written_at_ms=self._clock(),
            previous="",
        )

    def _stage(self, batch: Batch, location: str) -> int | None:
        """Let Spark, or where there is none pyarrow, write the files; how many rows it counted.

        None where only the files tell.
        """
        if batch.frame is not None:
            by_spark = _load("holdfast.adapters.sinks.files.by_spark")
            # A bare path would be one of whatever file system Hadoop has for its default.
            address = location if "://" in location else f"file://{location}"
            seen: int | None = by_spark.write_frame(batch.frame(), address, self._options)
            return seen
        arrow, system = _load(_ARROW), self._place.file_system()
        rows = arrow.write_rows(batch.rows(), batch.columns, system, location, self._options)
        return int(rows)

    def _rows_of_files(self, staged: str, names: Sequence[str]) -> list[int] | None:
        """By the footers of Parquet; other formats do not say."""
        if self._options.format != "parquet":
            return None
        arrow, system = _load(_ARROW), self._place.file_system()
        root = self._addresses.staged(staged)
        found = []
        for name in names:
            with system.open(f"{root}/{name}", "rb") as file:
                found.append(int(arrow.rows_in(file)))
        return found

    def _mark(self, ledger: FileLedger, batch: Batch, entry: Entry) -> Entry | None:
        """Take the next number of the ledger; None where another writer had the batch first."""
        for _ in range(_APPENDS_MAX):
            head = self._heads[batch.query_id]
            number = head.number + 1
            numbered = replace(entry, number=number, last_number=number, previous=head.digest)
            if ledger.append(numbered):
                self._heads[batch.query_id] = numbered
                return numbered
            head = self._caught_up(ledger, batch)
            if head.holds(batch.batch_id):
                self._check_replay(ledger, head, batch)
                self._mend(ledger, batch.query_id, head)
                return None
        raise _crowded(f"batch {batch.batch_id} could not be marked", self._shown)

    def _raise_fence(
        self, ledger: FileLedger, query_id: str, epoch: int, head: Entry | None
    ) -> Entry:
        for _ in range(_APPENDS_MAX):
            if head is not None:
                head.check_fence(epoch, query_id, self.name)
                if head.epoch == epoch:
                    return head
            fence = Entry(
                number=1 if head is None else head.number + 1,
                token=uuid.uuid4().hex,
                epoch=epoch,
                batch=None,
                last_batch=None if head is None else head.last_batch,
                last_number=None if head is None else head.last_number,
                folder=None,
                staged=None,
                files=(),
                rows=0,
                offsets={},
                written_at_ms=self._clock(),
                previous="" if head is None else head.digest,
            )
            if ledger.append(fence):
                return fence
            for later in ledger.after(head):
                head = later
        raise _crowded("the fence could not be raised", self._shown)

    def _caught_up(self, ledger: FileLedger, batch: Batch) -> Entry:
        """The newest entry; raises where this writer may not write any more."""
        head = self._heads[batch.query_id]
        there = ledger.entry(head.number)
        if there is None or there.digest != head.digest:
            raise RefusedError(
                f"the ledger of table {self.name!r} has lost the query since it was opened",
                subject=batch.query_id,
                next_action="find out who removed or restored the ledger",
            )
        for later in ledger.after(head):
            head = later
        head.check_fence(batch.epoch, batch.query_id, self.name)
        if head.epoch < batch.epoch:
            head = self._raise_fence(ledger, batch.query_id, batch.epoch, head)
        self._heads[batch.query_id] = head
        return head

    def _mend(self, ledger: FileLedger, query_id: str, head: Entry) -> None:
        """Publish the files of the newest batch where that was not done, and look at them."""
        number = head.last_number
        if number is None or self._published.get(query_id) == number:
            return
        entry = head if head.number == number else ledger.entry(number)
        if entry is None:
            raise MalformedError(
                f"the ledger of table {self.name!r} was altered: entry {number} is missing",
                subject=self._shown,
                next_action="bring the ledger back as it was written",
            )
        self._publish(query_id, entry)
        told = self._place.misfit(entry)
        if told is not None:
            raise MalformedError(
                f"a file of batch {entry.batch} is not as it was written: {told}",
                subject=self._shown,
                next_action="bring the file back; `holdfast.files.published` looks at all of them",
            )

    def _publish(self, query_id: str, entry: Entry) -> None:
        self._place.publish(entry)
        self._published[query_id] = entry.number

    def _compact(self, ledger: FileLedger, query_id: str, newest: int) -> None:
        """Make the pages that are due; nothing of the batch waits for them or fails with them.

        What is wrong with the ledger is told to those who read it.
        """
        since = self._compacted.get(query_id, 0)
        if not ledger.pages_due(newest, since):
            return
        self._steps("compact")
        with suppress(HoldfastError):
            ledger.compact(newest, since)
        self._compacted[query_id] = newest
        self._steps("compacted")

    def _check_replay(self, ledger: FileLedger, head: Entry, batch: Batch) -> None:
        """Raises RefusedError where the ledger holds this batch id with other offsets.

        Then it is another batch: skipping it would lose its rows. It happens where the logs of a
        checkpoint were cut back while the table was kept.
        """
        newest = head.last_number or 0
        for number in range(newest, max(0, newest - REPLAYS_LOOKED_AT), -1):
            entry = ledger.entry(number)
            if entry is None or entry.batch != batch.batch_id:
                continue
            same = digest_of(entry.offsets) == digest_of(batch.offsets)
            if entry.offsets and batch.offsets and not same:
                raise RefusedError(
                    f"table {self.name!r} holds batch {batch.batch_id} with other offsets than it "
                    "now comes with: it is another batch, and skipping it would lose rows",
                    subject=batch.query_id,
                    next_action="take table and checkpoint back together, or begin both anew",
                )
            return

    def _check(self, batch: Batch) -> None:
        """Mistakes of the caller and columns that do not fit, found before anything is touched."""
        check_batch(batch, self.name, self._heads)
        try:
            digest_of(batch.offsets)
        except (TypeError, ValueError) as error:
            raise InternalError(
                f"the offsets of batch {batch.batch_id} cannot be kept: {error}",
                subject=batch.query_id,
            ) from error
        wrong = misfits(self._options, batch.columns)
        if wrong:
            raise RefusedError(
                f"batch {batch.batch_id} does not fit table {self.name!r}: {'; '.join(wrong)}",
                subject=self._shown,
                next_action="change the transform, or batch_column and partition_by of the sink",
            )

    @contextmanager
    def _staging(self, ledger: FileLedger, batch: Batch, staged: str) -> Iterator[None]:
        """Where staging fails nothing of it stays; that a successor swept it is said to be so."""
        try:
            yield
        except BaseException as error:
            self._place.discard(staged)
            if isinstance(error, Exception) and not isinstance(error, FencedError):
                self._raise_if_fenced(ledger, batch, error)
            raise

    def _raise_if_fenced(self, ledger: FileLedger, batch: Batch, error: Exception) -> None:
        try:
            self._caught_up(ledger, batch)
        except FencedError as fenced:
            raise fenced from error
        except HoldfastError:
            return  # the first error says more

    def _folder(self, query_id: str, batch_id: int) -> str:
        folder = f"{self._options.batch_column}={batch_id}"
        return f"query={query_id}/{folder}" if self._options.shared else folder

    def _ledger(self, query_id: str) -> FileLedger:
        return FileLedger(self._place.records, query_id, page_sizes=self._page_sizes)


def open_sink(options: Mapping[str, Any]) -> FilesSink:
    """The entry point `files` of the group `holdfast.sinks`."""
    return FilesSink(FilesSinkOptions.parse(options))


def _crowded(what: str, shown: str) -> UnreachableError:
    return UnreachableError(
        f"{what}: another writer came in between {_APPENDS_MAX} times",
        subject=shown,
        next_action="end the other start of this query, then start again",
    )


def _load(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotInstalledError(
            f"the files sink needs {error.name}", next_action="pip install 'holdfast[spark]'"
        ) from error
