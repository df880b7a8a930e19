"""The ledger of a SQL sink: which batches the same database holds, and which epoch may write.

`holdfast_ledger` has one row for each query and sink, kept for ever: forgetting it would write a
batch twice. `holdfast_batches` has one row for each of the last batches, for audits.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Row,
    Select,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.mysql import LONGTEXT
from sqlalchemy.schema import CreateTable

from holdfast.adapters.sinks.databases.opening import open_database
from holdfast.adapters.sinks.databases.port import Database
from holdfast.adapters.sinks.sql_options import LOCK_WAIT_SECONDS
from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.errors import FencedError, MalformedError, RefusedError

BATCHES_KEPT = 1_000
"""Marks kept for each query and sink: ten times the batches that Spark keeps by default."""

OFFSETS_SHOWN = 200
"""Characters of offsets in a message; those of a large topic are 200 kB."""

LONG_TEXT = Text().with_variant(LONGTEXT(), "mysql", "mariadb")
"""Text of more than 64 kB, which TEXT of MySQL does not hold."""

_NO_OFFSETS = "{}"

# Of MySQL and MariaDB: another engine has no transactions, and most collations take names for
# equal that are not.
_TRANSACTIONAL: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (
        ("engine", "InnoDB"),
        ("charset", "utf8mb4"),
        ("collate", "utf8mb4_bin"),
    )
}
_METADATA = MetaData()
LEDGER = Table(
    "holdfast_ledger",
    _METADATA,
    Column("query_id", String(64), primary_key=True, nullable=False),
    Column("sink", String(255), primary_key=True, nullable=False),
    Column("last_batch", BigInteger),
    Column("epoch", BigInteger, nullable=False),
    Column("rows", BigInteger),
    Column("digest", String(32)),
    Column("offsets", LONG_TEXT),
    Column("written_at_ms", BigInteger),
    **_TRANSACTIONAL,
)
BATCHES = Table(
    "holdfast_batches",
    _METADATA,
    Column("query_id", String(64), primary_key=True, nullable=False),
    Column("sink", String(255), primary_key=True, nullable=False),
    Column("batch_id", BigInteger, primary_key=True, nullable=False, autoincrement=False),
    Column("epoch", BigInteger, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("digest", String(32), nullable=False),
    Column("offsets", LONG_TEXT, nullable=False),
    **_TRANSACTIONAL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What the ledger says about one batch that the sink holds."""

    query_id: str
    sink: str
    batch_id: int
    epoch: int
    rows: int
    """That were stored, before an upsert chose between rows of one key; without those put aside."""
    digest: str
    offsets: Mapping[str, Any]
    written_at_ms: int | None
    """Known of the last batch of each query and sink, None for those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The ledger row of a query and sink."""

    last_batch: int | None
    epoch: int
    rows: int | None
    """Of the last batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a ledger holds of one sink."""

    standings: Mapping[str, int | None]
    """The newest batch of each query, None where it has only been opened."""
    marks: tuple[Mark, ...]
    """Of the query that was asked for, newest first."""


def remembered(
    connection: Connection, database: Database, sink: str, query_id: str | None, limit: int
) -> Remembered | None:
    """What the ledger holds of a sink, at most `limit` marks; None where there is no ledger."""
    if not {LEDGER.name, BATCHES.name} <= set(database.table_names(connection)):
        return None
    _check_shape(connection, database)
    standings = select(LEDGER.c.query_id, LEDGER.c.last_batch).where(LEDGER.c.sink == sink)
    found = {row.query_id: row.last_batch for row in connection.execute(standings)}
    if query_id is None:
        return Remembered(standings=found, marks=())
    marks = (
        _marks()
        .where(*_is(BATCHES, query_id, sink))
        .order_by(BATCHES.c.batch_id.desc())
        .limit(limit)
    )
    return Remembered(standings=found, marks=tuple(_mark(row) for row in connection.execute(marks)))


def read_ledger(url: str, sink: str | None = None, schema: str | None = None) -> list[Mark]:
    """The marks of a database, of one sink or of all; sorted by query, sink and batch.

    Read-only, and without Spark. Empty where the database has no ledger; raises UnreachableError
    where there is no database.
    """
    database = open_database(url, LOCK_WAIT_SECONDS, schema)
    with database.reading() as connection:
        names = set(database.table_names(connection))
        if not {LEDGER.name, BATCHES.name} <= names:
            return []
        _check_shape(connection, database)
        marks = _marks()
        if sink is not None:
            marks = marks.where(BATCHES.c.sink == sink)
        order = (BATCHES.c.query_id, BATCHES.c.sink, BATCHES.c.batch_id)
        return [_mark(row) for row in connection.execute(marks.order_by(*order))]


def prepare(connection: Connection, database: Database) -> None:
    """Create the ledger where it is not there; refuse one of another shape."""
    names = set(database.table_names(connection))
    if not {LEDGER.name, BATCHES.name} <= names:
        database.opening(connection, LEDGER.name)
    for table in (LEDGER, BATCHES):
        # Only where it is missing: who may write need not have the right to create.
        if table.name not in names:
            with database.defining(connection) as defining:
                defining.execute(CreateTable(table, if_not_exists=True))
    _check_shape(connection, database)


def raise_fence(connection: Connection, query_id: str, sink: str, epoch: int) -> Standing | None:
    """Let no epoch below this one write any more; raises FencedError where a higher one was here.

    The same epoch may come again: that two holders never share one is the lease's promise. Gives
    what was there before.
    """
    standing = standing_of(connection, query_id, sink)
    if standing is None:
        connection.execute(insert(LEDGER).values(query_id=query_id, sink=sink, epoch=epoch))
        return None
    check_fence(standing, query_id, sink, epoch)
    connection.execute(update(LEDGER).where(*_is(LEDGER, query_id, sink)).values(epoch=epoch))
    return standing


def check_fence(standing: Standing, query_id: str, sink: str, epoch: int) -> None:
    """Raises FencedError where a higher epoch has been seen."""
    if standing.epoch > epoch:
        raise FencedError(
            f"epoch {standing.epoch} has taken over sink {sink!r}; this is epoch {epoch}",
            subject=query_id,
            next_action="stop this query: a newer start of it is writing",
        )


def standing_of(
    connection: Connection, query_id: str, sink: str, *, lock: bool = True
) -> Standing | None:
    """The ledger row, held against other writers until the transaction ends where it is locked."""
    columns = (LEDGER.c.last_batch, LEDGER.c.epoch, LEDGER.c.rows)
    row = select(*columns).where(*_is(LEDGER, query_id, sink))
    found = connection.execute(row.with_for_update() if lock else row).one_or_none()
    return None if found is None else Standing(**found._asdict())


def check_replay(
    connection: Connection, query_id: str, sink: str, batch_id: int, offsets: Mapping[str, Any]
) -> None:
    """Raises RefusedError where the ledger holds this batch id with other offsets.

    Then it is another batch: skipping it would lose its rows. It happens where the logs of a
    checkpoint were cut back while the ledger was kept. Nothing is said where either side does
    not know its offsets, or the mark is older than those that are kept.
    """
    held = connection.execute(
        select(BATCHES.c.offsets).where(
            *_is(BATCHES, query_id, sink), BATCHES.c.batch_id == batch_id
        )
    ).scalar_one_or_none()
    now = canonical_json(offsets)
    if held is not None and _NO_OFFSETS not in (held, now) and held != now:
        raise RefusedError(
            f"sink {sink!r} holds batch {batch_id} with offsets {_short(held)}, and now it comes "
            f"with {_short(now)}: it is another batch, and skipping it would lose rows",
            subject=query_id,
            next_action="take sink and checkpoint back together, or begin a new checkpoint",
        )


def holds_rows(connection: Connection, query_id: str, sink: str) -> bool:
    """Whether any batch that is still known by its mark has brought rows."""
    found = select(BATCHES.c.batch_id).where(*_is(BATCHES, query_id, sink), BATCHES.c.row_count > 0)
    return connection.execute(found.limit(1)).one_or_none() is not None


def last_mark(connection: Connection, query_id: str, sink: str) -> Mark | None:
    """The mark of the newest batch, None where there is none or it says nothing of its rows."""
    marks = select(BATCHES, LEDGER.c.last_batch, LEDGER.c.written_at_ms).join(
        LEDGER,
        (LEDGER.c.query_id == BATCHES.c.query_id)
        & (LEDGER.c.sink == BATCHES.c.sink)
        & (LEDGER.c.last_batch == BATCHES.c.batch_id),
    )
    found = connection.execute(marks.where(*_is(LEDGER, query_id, sink))).one_or_none()
    return None if found is None else _mark(found)


def add_mark(connection: Connection, mark: Mark) -> None:
    """Record a batch and forget those long past; the last mark is never forgotten."""
    query_id, sink, offsets = mark.query_id, mark.sink, canonical_json(mark.offsets)
    connection.execute(
        update(LEDGER)
        .where(*_is(LEDGER, query_id, sink))
        .values(
            last_batch=mark.batch_id,
            epoch=mark.epoch,
            rows=mark.rows,
            digest=mark.digest,
            offsets=offsets,
            written_at_ms=mark.written_at_ms,
        )
    )
    connection.execute(
        insert(BATCHES).values(
            query_id=query_id,
            sink=sink,
            batch_id=mark.batch_id,
            epoch=mark.epoch,
            row_count=mark.rows,
            digest=mark.digest,
            offsets=offsets,
        )
    )
    oldest_kept = connection.execute(
        select(BATCHES.c.batch_id)
        .where(*_is(BATCHES, query_id, sink))
        .order_by(BATCHES.c.batch_id.desc())
        .offset(BATCHES_KEPT - 1)
        .limit(1)
    ).scalar_one_or_none()
    if oldest_kept is not None:
        connection.execute(
            delete(BATCHES).where(*_is(BATCHES, query_id, sink), BATCHES.c.batch_id < oldest_kept)
        )


def _marks() -> Select[Any]:
    """Marks of batches with what the ledger's own row adds to the newest of them."""
    return select(BATCHES, LEDGER.c.last_batch, LEDGER.c.written_at_ms).outerjoin(
        LEDGER,
        (LEDGER.c.query_id == BATCHES.c.query_id) & (LEDGER.c.sink == BATCHES.c.sink),
    )


def _is(table: Table, query_id: str, sink: str) -> tuple[ColumnElement[bool], ...]:
    return (table.c.query_id == query_id, table.c.sink == sink)


def _mark(row: Row[Any]) -> Mark:
    return Mark(
        query_id=row.query_id,
        sink=row.sink,
        batch_id=row.batch_id,
        epoch=row.epoch,
        rows=row.row_count,
        digest=row.digest,
        offsets=json.loads(row.offsets),
        written_at_ms=row.written_at_ms if row.last_batch == row.batch_id else None,
    )


def _check_shape(connection: Connection, database: Database) -> None:
    for table in (LEDGER, BATCHES):
        found = database.table(connection, table.name)
        names = {column.name for column in found.columns}
        missing = [column.name for column in table.columns if column.name not in names]
        key = frozenset(column.name for column in table.primary_key)
        wrong = f"it has no column {', '.join(missing)}" if missing else found.unfit
        if not wrong and key not in found.unique:
            wrong = "its primary key is gone"
        if wrong:
            raise MalformedError(
                f"table {table.name} is no ledger that this release knows: {wrong}",
                subject=database.location,
                next_action="use the release that wrote it, or another database",
            )


def _short(text: str) -> str:
    return text if len(text) <= OFFSETS_SHOWN else f"{text[:OFFSETS_SHOWN]}…"
