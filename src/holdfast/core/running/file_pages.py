"""Pages of the ledger of a table of plain files: many entries in one file, for readers' sake.

A page is the bytes of its entries, one a line, in order, and nothing more. It repeats what the
ledger says: entries stay where they are, because a number that became free could be taken again
by a writer that was overtaken. Entries never change, so whoever makes a page makes the same
bytes; and because the newest entry is always read itself, the digests of the chain vouch for
every page before it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.core.limits import MIB
from holdfast.core.running.file_ledger import (
    NAME_DIGITS,
    Entry,
    altered,
    decode_entry,
    encode_entry,
)

PAGE_SIZES: Final = (100, 10_000)
"""Entries of a page, small and large. A reader of 100,000 batches reads 10 large pages, at most 99
small ones and at most 100 entries."""

PAGE_BYTES_MAX: Final = 32 * MIB
"""Half of what one file may have to be read whole. An entry has some 400 bytes, and 190 more for
each file of its batch: a larger page is left out, and the smaller ones serve."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Entries in a row, both ends included; a page of them, or one entry by itself."""

    first: int
    last: int

    @property
    def is_page(self) -> bool:
        """Whether it is more than one entry."""
        return self.last > self.first

    @property
    def page_name(self) -> str:
        """The name of the file of the page."""
        return f"{self.first:0{NAME_DIGITS}d}-{self.last:0{NAME_DIGITS}d}.jsonl"


def span_of(name: str) -> Span | None:
    """The span in the name of a file, None where it is no page."""
    stem, dot, suffix = name.partition(".")
    ends = stem.split("-")
    if not dot or suffix != "jsonl" or len(ends) != 2 or not stem.isascii():
        return None
    if not all(end.isdigit() for end in ends):
        return None
    span = Span(int(ends[0]), int(ends[1]))
    return span if 0 < span.first < span.last and span.page_name == name else None


def cover(wanted: Span, pages: Collection[Span]) -> list[Span]:
    """What to read for these entries: at each place the longest page that fits, else an entry."""
    # Sorted by their ends too: of those that begin at one place the last one is the longest.
    longest = {page.first: page for page in sorted(pages) if page.last <= wanted.last}
    found: list[Span] = []
    number = wanted.first
    while number <= wanted.last:
        found.append(longest.get(number, Span(number, number)))
        number = found[-1].last + 1
    return found


def due_pages(newest: int, since: int, sizes: Sequence[int]) -> list[Span]:
    """Pages that end after one entry and not after another, the smaller ones first."""
    return [
        Span(last - size + 1, last)
        for size in sizes
        for last in range((since // size + 1) * size, newest + 1, size)
    ]


def encode_page(entries: Sequence[Entry]) -> bytes:
    """The page of these entries."""
    return b"".join(encode_entry(entry) + b"\n" for entry in entries)


def decode_page(data: bytes, span: Span, subject: str) -> list[Entry]:
    """The entries of a page; raises MalformedError where it was altered."""
    lines = data.split(b"\n")
    if lines.pop() != b"" or len(lines) != span.last - span.first + 1:
        raise altered(subject, "the page is not whole")
    return [decode_entry(line, span.first + at, subject) for at, line in enumerate(lines)]
