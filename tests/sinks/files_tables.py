"""Tables of the files sink for tests: batches, and writers that end in the middle."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.sinks.files.sink import FilesSink, open_sink
from holdfast.adapters.sinks.files.steps import Step
from holdfast.core.running.batch import Batch

QUERY = "5f4f4c9a-1f0b-4b8e-9c0e-7a6f0f9f3a11"
OTHER = "9d3b2f9a-3c1b-4d8e-8f0e-1a6f0f9f3a22"
COLUMNS = ("id", "day", "text")
Row = tuple[Any, ...]


def rows_of(batch_id: int) -> list[Row]:
    rows = [(i, f"d{i % 2}", f"{batch_id}/{i}") for i in range(batch_id, batch_id + 4)]
    return [*rows, rows[0]]


def batch(
    sink: FilesSink,
    batch_id: int,
    *,
    epoch: int = 1,
    query: str = QUERY,
    rows: Sequence[Row] | None = None,
    end: Any = None,
) -> Batch:
    given = rows_of(batch_id) if rows is None else rows
    return Batch(
        query_id=query,
        sink=sink.name,
        batch_id=batch_id,
        epoch=epoch,
        columns=COLUMNS,
        rows=lambda: iter(given),
        offsets={"0": {"end": batch_id if end is None else end}},
    )


def opened(path: Path, *, epoch: int = 1, query: str = QUERY, **options: Any) -> FilesSink:
    sink = open_sink({"path": str(path), **options})
    sink.open(query, epoch)
    return sink


def filled(path: Path, batches: int = 3, **options: Any) -> FilesSink:
    sink = opened(path, **options)
    for batch_id in range(batches):
        assert sink.write(batch(sink, batch_id))
    return sink


def wanted(*batch_ids: int) -> Counter[Row]:
    return Counter(row for batch_id in batch_ids for row in rows_of(batch_id))


def counted(rows: Any) -> Counter[Row]:
    return Counter(tuple(row) for row in rows)


def log_of(path: Path) -> Path:
    return path.parent / f"_{path.name}.ledger" / "log" / QUERY


class Killed(BaseException):
    """Ends a write at a step, and nothing is tidied up after it."""


def killed_at(path: Path, step: Step, batch_id: int, *, epoch: int = 1) -> None:
    """A write that ends at a step; the place is left as a kill would leave it."""
    sink = opened(path, epoch=epoch)

    def stop(reached: Step) -> None:
        if reached == step:
            raise Killed

    sink.listen(stop)
    sink._place.discard = lambda staged: None  # type: ignore[method-assign]
    with pytest.raises(Killed):
        sink.write(batch(sink, batch_id, epoch=epoch))
