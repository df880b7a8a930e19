"""What was found against what must be: always as multisets, a set would hide duplicates."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from holdfast.core.crash.table import Cells, canonical
from holdfast.testing.candidate import Candidate, Row

_EXAMPLES = 3


def check(holds: bool, message: str) -> None:
    """An assertion that stays when Python is told to leave assertions out."""
    if not holds:
        raise AssertionError(message)


def visible(candidate: Candidate, folder: Path) -> Counter[Cells]:
    """What a reader sees now."""
    return _counted(candidate.read(folder))


def wanted(candidate: Candidate, batch_ids: Iterable[int]) -> Counter[Cells]:
    """What a reader must see once these batches are there, and no others."""
    return wanted_of(candidate, [row for batch in batch_ids for row in candidate.rows(batch)])


def wanted_of(candidate: Candidate, rows: Sequence[Row]) -> Counter[Cells]:
    """What a reader must see once these rows are there, and no others."""
    return _counted(candidate.expected(rows))


def check_holds(candidate: Candidate, folder: Path, batch_ids: Iterable[int], when: str) -> None:
    """Exactly these batches are visible."""
    check_rows(visible(candidate, folder), wanted(candidate, batch_ids), when)


def check_rows(found: Counter[Cells], expected: Counter[Cells], when: str) -> None:
    """Both are the same, row by row with repetitions."""
    lost, extra = expected - found, found - expected
    told = [f"{when}: {lost.total()} rows lost, {extra.total()} too many"]
    told += [f"  lost: {_text(row)}" for row in sorted(lost.elements())[:_EXAMPLES]]
    told += [f"  too much: {_text(row)}" for row in sorted(extra.elements())[:_EXAMPLES]]
    check(found == expected, "\n".join(told))


def check_end(
    candidate: Candidate, folder: Path, batch_ids: Iterable[int], when: str, *, cuts: int
) -> None:
    """These batches are there in the end, as the candidate's guarantee says.

    `cuts` is how often a writer ended in the middle.
    """
    found, expected = visible(candidate, folder), wanted(candidate, batch_ids)
    if candidate.guarantee != "at-least-once":
        check_rows(found, expected, when)
        return
    extra, allowed = found - expected, cuts * candidate.repeated_max
    told = f"{extra.total()} rows too many, {allowed} allowed by its guarantee"
    check(extra.total() <= allowed, f"{when}: {told}")
    check(set(extra) <= set(expected), f"{when}: rows from nowhere")
    check_rows(found - extra, expected, when)


def check_part(
    candidate: Candidate, folder: Path, whole: Iterable[int], begun: Iterable[int], when: str
) -> None:
    """Some batches are whole, and of others no row is there that they do not have.

    For sinks whose guarantee lets a reader see a batch before it is whole.
    """
    found, sure = visible(candidate, folder), wanted(candidate, whole)
    most = sure + wanted(candidate, begun)
    check(sure <= found, f"{when}: {(sure - found).total()} rows lost")
    if candidate.guarantee == "at-least-once":
        check(set(found) <= set(most), f"{when}: rows from nowhere")
    else:
        check(found <= most, f"{when}: {(found - most).total()} rows too many")


def _counted(rows: Iterable[Row]) -> Counter[Cells]:
    return Counter(tuple(canonical(value) for value in row) for row in rows)


def _text(row: Cells) -> str:
    return ", ".join(row)
