"""Pages of a ledger: which are read, which are due, and what was done to one."""

import pytest

from holdfast.core.running.file_ledger import Entry, check_chain, encode_entry
from holdfast.core.running.file_pages import (
    PAGE_SIZES,
    Span,
    cover,
    decode_page,
    due_pages,
    encode_page,
    span_of,
)
from holdfast.errors import MalformedError


def chain(count: int) -> list[Entry]:
    found: list[Entry] = []
    for number in range(1, count + 1):
        found.append(
            Entry(
                number=number,
                token=f"t{number}",
                epoch=1,
                batch=number,
                last_batch=number,
                last_number=number,
                folder=None,
                staged=None,
                files=(),
                rows=0,
                offsets={"line": "a\nb"},
                written_at_ms=0,
                previous=found[-1].digest if found else "",
            )
        )
    return found


@pytest.mark.parametrize(
    ("pages", "wanted", "read"),
    [
        ([], (1, 3), [(1, 1), (2, 2), (3, 3)]),
        ([(1, 2), (3, 4)], (1, 5), [(1, 2), (3, 4), (5, 5)]),
        ([(1, 2), (1, 4), (3, 4)], (1, 5), [(1, 4), (5, 5)]),
        ([(1, 4), (1, 2), (3, 4)], (1, 3), [(1, 2), (3, 3)]),
        ([(3, 4)], (1, 4), [(1, 1), (2, 2), (3, 4)]),
        ([(2, 3), (1, 2)], (1, 4), [(1, 2), (3, 3), (4, 4)]),
        ([(1, 2), (3, 4)], (3, 4), [(3, 4)]),
        ([(1, 2)], (1, 0), []),
    ],
)
def test_the_longest_page_that_fits_is_read(
    pages: list[tuple[int, int]], wanted: tuple[int, int], read: list[tuple[int, int]]
) -> None:
    found = cover(Span(*wanted), [Span(*page) for page in pages])
    assert [(span.first, span.last) for span in found] == read


@pytest.mark.parametrize("since", range(14))
def test_pages_are_due_once_whatever_the_pace(since: int) -> None:
    whole = due_pages(13, 0, (2, 6))
    assert sorted(whole) == sorted(
        [*(Span(n, n + 1) for n in range(1, 12, 2)), Span(1, 6), Span(7, 12)]
    )
    assert sorted(due_pages(since, 0, (2, 6)) + due_pages(13, since, (2, 6))) == sorted(whole)


def test_a_hundred_thousand_batches_are_few_files() -> None:
    for newest in (99_999, 100_000, 109_999):
        pages = due_pages(newest, 0, PAGE_SIZES)
        assert len(cover(Span(1, newest), pages)) <= 10 + 99 + 99


def test_names_of_pages() -> None:
    assert Span(1, 100).page_name == "000000000001-000000000100.jsonl"
    assert span_of(Span(1, 100).page_name) == Span(1, 100)
    for name in (
        "000000000001.json",
        "000000000001-000000000100.json",
        "000000000001-000000000100",
        "000000000002-000000000001.jsonl",
        "000000000000-000000000001.jsonl",
        "1-100.jsonl",
        "000000000001-00000000010\u0662.jsonl",
        "a-b.jsonl",
    ):
        assert span_of(name) is None, name


def test_a_page_is_its_entries() -> None:
    entries = chain(4)
    data = encode_page(entries[1:])
    assert data == b"".join(encode_entry(entry) + b"\n" for entry in entries[1:])
    assert decode_page(data, Span(2, 4), "here") == entries[1:]
    check_chain(entries[1:], "here", 2)
    check_chain(entries, "here")


@pytest.mark.parametrize(
    "what", ["cut", "cut at a line", "other order", "other byte", "empty", "twice"]
)
def test_a_page_that_was_altered_is_told(what: str) -> None:
    lines = encode_page(chain(3)).splitlines(keepends=True)
    data = {
        "cut": b"".join(lines)[:-1],
        "cut at a line": b"".join(lines[:-1]),
        "other order": lines[1] + lines[0] + lines[2],
        "other byte": b"".join(lines).replace(b'"epoch":1', b'"epoch":2', 1),
        "empty": b"",
        "twice": b"".join([lines[0], *lines]),
    }[what]
    with pytest.raises(MalformedError, match="altered"):
        decode_page(data, Span(1, 3), "here")


def test_a_chain_from_the_middle_is_still_a_chain() -> None:
    entries = chain(5)
    with pytest.raises(MalformedError, match="it is missing"):
        check_chain([entries[1], entries[3]], "here", 2)
    with pytest.raises(MalformedError, match="it is missing"):
        check_chain(entries[1:], "here", 3)
