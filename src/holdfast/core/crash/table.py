"""Rows in canonical form: equal values are equal text, wherever they were read."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import islice
from typing import Any

from holdfast.core.limits import OUTPUT_ROWS_MAX
from holdfast.errors import TooLargeError

Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The rows of an output, in no order, each value as canonical text."""

    columns: tuple[str, ...]
    rows: tuple[Cells, ...]

    def without(self, names: frozenset[str]) -> "Table":
        """The same rows without some columns."""
        kept = [index for index, name in enumerate(self.columns) if name not in names]
        return Table(
            columns=tuple(self.columns[index] for index in kept),
            rows=tuple(tuple(row[index] for index in kept) for row in self.rows),
        )

    def positions(self, names: Sequence[str]) -> tuple[int, ...]:
        """Where these columns stand; those that are not there are left out."""
        return tuple(self.columns.index(name) for name in names if name in self.columns)


EMPTY = Table(columns=(), rows=())


def table_of(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Columns are put in the order of their names: readers differ in theirs."""
    order = sorted(range(len(columns)), key=lambda index: columns[index])
    told = tuple(
        tuple(canonical(row[index]) for index in order) for row in islice(rows, OUTPUT_ROWS_MAX + 1)
    )
    if len(told) > OUTPUT_ROWS_MAX:
        raise TooLargeError(
            f"the output has more than {OUTPUT_ROWS_MAX:,} rows",
            next_action="audit the job on less input",
        )
    return Table(columns=tuple(columns[index] for index in order), rows=told)


def canonical(value: Any) -> str:
    """A value as text; values that are not the same have other texts."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            # A subclass may have a repr of its own, as NumPy's float64 has.
            return "NaN" if math.isnan(value) else float.__repr__(value)
        case Decimal():
            return _decimal(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bytes() | bytearray() | memoryview():
            return f"0x{bytes(value).hex()}"
        case datetime():
            return _moment(value)
        case date() | time():
            return value.isoformat()
        case Mapping():
            pairs = sorted((canonical(key), canonical(item)) for key, item in value.items())
            return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(canonical, value)) + "]"
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(canonical, value))) + "}"
    # Scalars and arrays of NumPy and of Arrow know what they are in plain Python.
    simpler = getattr(value, "tolist", None) or getattr(value, "as_py", None)
    plain = value if simpler is None else simpler()
    if type(plain) is not type(value):
        return canonical(plain)
    return f"{type(value).__name__}:{value}"


def _decimal(value: Decimal) -> str:
    """Without zeros at the end. Not by normalize(), which rounds to 28 digits; Spark has 38."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _moment(value: datetime) -> str:
    if value != value:
        return "null"  # NaT of pandas
    try:
        moment = value if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        moment = value  # hours from the year 1 or 9999, where UTC is outside
    # Timestamps of pandas, which Arrow gives for nanoseconds, know more than isoformat shows here.
    finer = getattr(value, "nanosecond", 0)
    return moment.isoformat(timespec="microseconds") + (f"+{finer}ns" if finer else "")
