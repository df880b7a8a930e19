"""Input by number, and what a right query makes of it: the oracle.

Pages of input are numbered from 0; the first BEFORE of them are read before the change, the others
after it. Everything follows from the number, so that any multiset can be told beforehand.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from scripts.truth.workloads import Workload

BEFORE = 5
AFTER = ((5, 6), (7,))
"""Pages that come before each of the starts after the change."""
LAST = 7
ROWS = 6
LARGE, LARGE_ROWS = 1_000, 200
"""Pages from this number on are large."""
BEGIN = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
"""In the evening: another time zone puts a row on another day."""
WINDOW, DELAY = timedelta(minutes=10), timedelta(minutes=1)
RIGHT = 1_000
"""Where the ids of the second input begin."""

Row = tuple[str, ...]


def moment(number: int) -> datetime:
    """When the rows of a page happened; the last page is late enough to close every window."""
    return BEGIN + timedelta(minutes=4 * number if number < LAST else 60)


def page(workload: Workload, side: str, number: int) -> list[dict[str, Any]]:
    """The rows of one page of one input."""
    own = [record(number, place) for place in range(rows_in(number))]
    if workload.shape == "unique":
        return own + ([record(number - 1, place) for place in range(ROWS)] if number else [])
    if workload.shape == "pairs" and side == "right":
        return [record(number - 1, place) for place in range(ROWS)] if number else []
    if workload.shape == "union" and side == "right":
        return [{**row, "id": row["id"] + RIGHT} for row in own]
    return own


def rows_in(number: int) -> int:
    """How many rows a page has of its own."""
    return LARGE_ROWS if number >= LARGE else ROWS


def record(number: int, place: int) -> dict[str, Any]:
    at = moment(number) + timedelta(seconds=10 * place)
    return {
        "id": number * ROWS + place,
        "key": f"k{place % 3}",
        "value": number,
        "at": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def expected(workload: Workload, variant: str, more: Sequence[int] = ()) -> "Counter[Row]":
    """What the sink must hold once every page was read, each row once."""
    numbers = (*range(LAST + 1), *more)
    rows = [record(number, place) for number in numbers for place in range(rows_in(number))]
    if workload.shape == "windows":
        return windows(rows, variant)
    if workload.shape == "pairs":
        rows = [row for row in rows if row["id"] < LAST * ROWS]
    made = [(row["id"], row["key"], row["value"]) for row in rows]
    if workload.shape == "union":
        sides = (0,) if variant == "source_removed" else (0, RIGHT)
        made = [(number + side, key, value) for number, key, value in made for side in sides]
    return Counter(as_texts(fitted(row, variant) for row in made if stays(row, variant)))


def stays(row: Sequence[Any], variant: str) -> bool:
    """A filter that was added counts from then on, and so does a condition of a join."""
    if variant == "condition":
        return bool(row[2] < BEFORE + 1)
    return not (variant == "filter" and row[2] >= BEFORE and row[0] % 2)


def fitted(row: Sequence[Any], variant: str) -> Sequence[Any]:
    """So does a projection, and a column that is no longer written."""
    if row[2] < BEFORE:
        return row
    values = {"projection": row[2] + 100, "column_removed": None}
    return (row[0], row[1], values.get(variant, row[2]))


def windows(rows: Iterable[dict[str, Any]], variant: str) -> "Counter[Row]":
    """Closed windows with their keys and counts, as a batch query has them."""
    size = timedelta(minutes=5) if variant == "window" else WINDOW
    delay = timedelta(minutes=3) if variant == "watermark" else DELAY
    counts: Counter[tuple[datetime, str]] = Counter()
    latest = BEGIN
    for row in rows:
        at = datetime.strptime(row["at"], "%Y-%m-%dT%H:%M:%S%z")
        latest = max(latest, at)
        start = BEGIN + (at - BEGIN) // size * size
        weights = {"aggregate": row["value"], "aggregate_same": 1 - row["id"] % 2}
        counts[start, row["key"]] += weights.get(variant, 1)
    closed = {
        (start.strftime("%H:%M"), key, count)
        for (start, key), count in counts.items()
        if start + size <= latest - delay
    }
    return Counter(as_texts(closed))


def as_texts(rows: Iterable[Sequence[Any]]) -> list[Row]:
    return [tuple(map(str, row)) for row in rows]


def identity(workload: Workload, row: Row) -> Row:
    """What makes two rows the same one, whatever their values."""
    return row[:2] if workload.shape == "windows" else row[:1]
