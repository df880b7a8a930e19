"""The entries of one query in the ledger of a table, through files that are created exclusively."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from holdfast.adapters.file_tables.place import LOG, PAGES
from holdfast.core.running.file_ledger import (
    Entry,
    Owner,
    check_chain,
    decode_entry,
    decode_owner,
    encode_entry,
    encode_owner,
    name_of,
    newest_number,
    number_of,
)
from holdfast.core.running.file_pages import (
    PAGE_BYTES_MAX,
    PAGE_SIZES,
    Span,
    cover,
    decode_page,
    due_pages,
    encode_page,
    span_of,
)
from holdfast.core.running.ports import Records
from holdfast.errors import MalformedError, UnreachableError

OWNER = "owner.json"

READS_AT_ONCE = 16
"""A store that takes 50 ms for a request gives 300 entries a second then, and not 20."""

PAGES_AT_ONCE = 20
"""Of a ledger that has none yet, so that a batch does not wait long; the next start goes on."""


class FileLedger:
    """Reads and appends the entries of one query, and makes pages of them."""

    def __init__(
        self, records: Records, query_id: str, *, page_sizes: Sequence[int] = PAGE_SIZES
    ) -> None:
        """Nothing is read yet."""
        self._records = records
        self._folder = f"{LOG}/{query_id}"
        self._pages_folder = f"{PAGES}/{query_id}"
        self._subject = f"{records.location}/{self._folder}"
        self._page_sizes = page_sizes

    def newest(self) -> Entry | None:
        """The entry with the highest number, None where there is none."""
        number = max(self._numbers(), default=0)
        return None if number == 0 else self._must(number)

    def after(self, entry: Entry | None) -> Iterator[Entry]:
        """What came after an entry, in order; one request finds that there is nothing."""
        while True:
            found = self.entry(1 if entry is None else entry.number + 1)
            if found is None:
                return
            if found.previous != ("" if entry is None else entry.digest):
                name = name_of(found.number - 1)
                raise MalformedError(
                    "the ledger of the table was altered: the next entry knows another one here",
                    subject=f"{self._subject}/{name}",
                    next_action="bring the ledger back as it was written",
                )
            yield found
            entry = found

    def entry(self, number: int) -> Entry | None:
        """One entry, None where there is none of that number."""
        name = name_of(number)
        data = self._records.read(f"{self._folder}/{name}")
        return None if data is None else decode_entry(data, number, f"{self._subject}/{name}")

    def entries(self) -> list[Entry]:
        """All of them, in order; raises MalformedError where one is missing or was altered.

        From pages where there are some. The newest is never one of theirs: through its digest the
        chain vouches for what a page says.
        """
        newest = newest_number(self._numbers(), self._subject)
        if newest == 0:
            return []
        spans = [*cover(Span(1, newest - 1), self._pages()), Span(newest, newest)]
        try:
            found = self._read(spans)
            check_chain(found, self._subject)
        except MalformedError as error:
            if not any(span.is_page for span in spans):
                raise
            pages = f"{self._records.location}/{self._pages_folder}"
            raise MalformedError(
                error.message,
                subject=error.subject,
                next_action=f"move {pages} away, whose pages only repeat the log, and read again; "
                "if that fails too, bring the ledger back as it was written",
            ) from error
        return found

    def pages_due(self, newest: int, since: int) -> bool:
        """Whether a page ends after one entry and not after another; nothing is asked for it."""
        return bool(due_pages(newest, since, self._page_sizes))

    def compact(self, newest: int, since: int) -> int:
        """Make the pages that end after `since` and not after `newest`; how many were made.

        Harmless at every moment and for every writer, an overtaken one too: a page repeats entries,
        which never change, and appears whole or not at all. Some may be left to the next start.
        """
        pages = set(self._pages())
        missing = [s for s in due_pages(newest, since, self._page_sizes) if s not in pages]
        made = 0
        for span in missing[:PAGES_AT_ONCE]:
            entries = self._read(cover(span, pages))
            check_chain(entries, self._subject, span.first)
            data = encode_page(entries)
            if len(data) > PAGE_BYTES_MAX:
                continue
            made += self._records.create(f"{self._pages_folder}/{span.page_name}", data)
            pages.add(span)
        return made

    def append(self, entry: Entry) -> bool:
        """Create an entry; False where its number is taken by another one.

        Where the answer was lost, what lies there decides.
        """
        try:
            if self._records.create(f"{self._folder}/{name_of(entry.number)}", encode_entry(entry)):
                return True
        except UnreachableError:
            there = self.entry(entry.number)
            if there is None:
                raise
            return there.token == entry.token
        there = self.entry(entry.number)
        return there is not None and there.token == entry.token

    def _must(self, number: int) -> Entry:
        found = self.entry(number)
        if found is None:
            raise MalformedError(
                "the ledger of the table was altered: an entry went away while it was read",
                subject=f"{self._subject}/{name_of(number)}",
                next_action="bring the ledger back as it was written",
            )
        return found

    def _read(self, spans: Sequence[Span]) -> list[Entry]:
        with ThreadPoolExecutor(READS_AT_ONCE) as pool:
            return [entry for piece in pool.map(self._piece, spans) for entry in piece]

    def _piece(self, span: Span) -> list[Entry]:
        if not span.is_page:
            return [self._must(span.first)]
        name = f"{self._pages_folder}/{span.page_name}"
        data = self._records.read(name)
        if data is None:  # moved away meanwhile: the entries are there
            return [self._must(number) for number in range(span.first, span.last + 1)]
        return decode_page(data, span, f"{self._records.location}/{name}")

    def _pages(self) -> list[Span]:
        found = (span_of(name) for name in self._records.names(self._pages_folder))
        return [span for span in found if span is not None]

    def _numbers(self) -> list[int]:
        found = (number_of(name) for name in self._records.names(self._folder))
        return [number for number in found if number is not None]


def owner_of(records: Records) -> Owner | None:
    """Whose table it is, None where it is nobody's yet."""
    data = records.read(OWNER)
    return None if data is None else decode_owner(data, f"{records.location}/{OWNER}")


def claim(records: Records, owner: Owner) -> Owner:
    """Make it ours where it is nobody's; whose it is then."""
    records.create(OWNER, encode_owner(owner))
    found = owner_of(records)
    if found is None:
        raise UnreachableError(
            "the ledger of the table went away while it was claimed",
            subject=records.location,
            next_action="find out who removes it, then start again",
        )
    return found
