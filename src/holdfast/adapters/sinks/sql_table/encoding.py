"""From rows of a batch to rows as they are stored: each fits, is put aside, or is refused."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.adapters.sinks.databases.port import TargetColumn
from holdfast.adapters.sinks.row_digest import RowDigest
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table.replay import Replay, Row
from holdfast.adapters.sinks.sql_types import Encoder, Encoders, Kind, Stored
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError

ASIDE_ROWS_MAX = 10_000
"""Rows of one batch that are put aside, kept in memory until the others are in. Where more do not
fit, something is wrong with all of them."""

ASIDE_CHARACTERS_MAX = 1_000_000
"""Of one row that is put aside; what is longer is cut off, and says so."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row as it is stored."""

    values: list[Stored]
    """In the order of the batch's columns."""
    own: bytes
    """Its own digest: equal rows have equal ones."""
    size: int
    dead: bool
    """It deletes its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideRow:
    """A row that does not fit, for the quarantine table."""

    number: int
    column: str
    reason: str
    content: str


class Encoding:
    """How the rows of one batch are stored in one table."""

    def __init__(
        self, columns: Mapping[str, TargetColumn], batch: Batch, options: SqlSinkOptions
    ) -> None:
        """Columns are those of the table; every one of the batch is there, but the tombstone."""
        self._batch = batch
        self._options = options
        self._encoders = [encoders_of(columns.get(name), name, options) for name in batch.columns]
        self._tomb: int | None = None
        if options.tombstone is not None:
            self._tomb = list(batch.columns).index(options.tombstone)
        removed = options.tombstone is not None and options.tombstone not in columns
        needed = {*options.key, options.version, options.tombstone}
        self._of_dead = [
            encoder if not removed or name in needed else _nothing
            for name, encoder in zip(batch.columns, self._encoders, strict=True)
        ]
        self.digest = RowDigest(batch.columns)
        self.aside: list[AsideRow] = []

    @property
    def rows(self) -> int:
        """Rows so far, those put aside among them."""
        return self.digest.rows + len(self.aside)

    def stored(self, rows: Iterable[Row], replay: Replay) -> Iterator[StoredRow]:
        """Each row that fits; raises RefusedError at the first that does not, or puts it aside."""
        width = len(self._encoders)
        for row in rows:
            if len(row) != width:
                raise unstorable(self._batch, self.rows + 1, f"has {len(row)} values")
            dead = self._tomb is not None and row[self._tomb] is True
            stored: list[Stored] = []
            try:
                for encoder, value in zip(
                    self._of_dead if dead else self._encoders, row, strict=True
                ):
                    stored.append(encoder[type(value)](value))
            except ValueError as error:
                self._put_aside(row, self._batch.columns[len(stored)], error)
                continue
            own, size = self.digest.add(stored)
            replay.weigh(size)
            yield StoredRow(stored, own, size, dead)

    def _put_aside(self, row: Row, column: str, error: ValueError) -> None:
        number = self.rows + 1
        if self._options.quarantine is None:
            raise unstorable(self._batch, number, f"column {column!r}: {error}") from error
        if len(self.aside) >= ASIDE_ROWS_MAX:
            said = f"column {column!r}: {error}, like {len(self.aside):,} rows before it"
            raise unstorable(self._batch, number, said) from error
        self.aside.append(
            AsideRow(number=number, column=column, reason=str(error), content=self._content(row))
        )

    def _content(self, row: Row) -> str:
        """The row as JSON in ASCII, which every database holds."""
        text = json.dumps(dict(zip(self._batch.columns, row, strict=True)), default=_told)
        if len(text) > ASIDE_CHARACTERS_MAX:
            return f"{text[:ASIDE_CHARACTERS_MAX]}… ({len(text):,} characters)"
        return text


def unstorable(batch: Batch, number: int, said: str) -> RefusedError:
    """The error for a row that does not fit."""
    return RefusedError(
        f"batch {batch.batch_id}, row {number}, {said}; nothing of the batch was written",
        subject=batch.query_id,
        next_action="change the value in the transform, or the type of the column",
    )


def encoders_of(
    column: TargetColumn | None, name: str, options: SqlSinkOptions
) -> Mapping[type, Encoder]:
    """The encoders of a column of a batch; None: the table does not have it."""
    if column is None:  # a tombstone that the table does not have
        return Encoders(frozenset({Kind.BOOLEAN}), "boolean")
    return Encoders(
        column.holds,
        column.declared or "any",
        is_key=name in options.key,
        is_version=name == options.version,
        nullable=column.nullable,
        own=column.encoders,
        sortable=column.sortable,
    )


class _Nothing(dict[type, Encoder]):
    """For columns that a deleted row does not need."""

    def __missing__(self, value_type: type) -> Encoder:
        return lambda _value: None


_nothing = _Nothing()


def _told(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Sequence):
        return list(value)
    return str(value)
