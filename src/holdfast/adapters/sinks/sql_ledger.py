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
    String,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.schema import CreateTable

from holdfast.adapters.sinks.sql_database import open_database
from holdfast.adapters.sinks.sql_options import LOCK_WAIT_SECONDS
from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.errors import FencedError, MalformedError, RefusedError

BATCHES_KEPT = 1_000
"""Marks kept for each query and sink: ten times the batches that Spark keeps by default."""

OFFSETS_SHOWN = 200
"""Characters of offsets in a message; those of a large topic are 200 kB."""

_NO_OFFSETS = "{}"

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
    Column("offsets", Text),
    Column("written_at_ms", BigInteger),
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
    Column("offsets", Text, nullable=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What the ledger says about one batch that the sink holds."""

    query_id: str
    sink: str
    batch_id: int
    epoch: int
    rows: int
    """As the batch gave them, before an upsert chose between rows of one key."""
    digest: str
    offsets: Mapping[str, Any]
    written_at_ms: int | None
    """Known of the last batch of each query and sink, None for those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The ledger row of a query and sink."""

    last_batch: int | None
    epoch: int


def read_ledger(url: str, sink: str | None = None) -> list[Mark]:
    """The marks of a database, of one sink or of all; sorted by query, sink and batch.

    Read-only, and without Spark. Empty where the database has no ledger; raises UnreachableError
    where there is no database.
    """
    database = open_database(url, LOCK_WAIT_SECONDS)
    with database.reading() as connection:
        names = set(database.table_names(connection))
        if not {LEDGER.name, BATCHES.name} <= names:
            return []
        _check_shape(connection, database.location)
        marks = select(BATCHES, LEDGER.c.last_batch, LEDGER.c.written_at_ms).outerjoin(
            LEDGER,
            (LEDGER.c.query_id == BATCHES.c.query_id) & (LEDGER.c.sink == BATCHES.c.sink),
        )
        if sink is not None:
            marks = marks.where(BATCHES.c.sink == sink)
        order = (BATCHES.c.query_id, BATCHES.c.sink, BATCHES.c.batch_id)
        return [_mark(row) for row in connection.execute(marks.order_by(*order))]


def prepare(connection: Connection, location: str) -> None:
    """Create the ledger where it is not there; refuse one of another shape."""
    for table in (LEDGER, BATCHES):
        connection.execute(CreateTable(table, if_not_exists=True))
    _check_shape(connection, location)


def raise_fence(connection: Connection, query_id: str, sink: str, epoch: int) -> None:
    """Let no epoch below this one write any more; raises FencedError where a higher one was here.

    The same epoch may come again: that two holders never share one is the lease's promise.
    """
    standing = standing_of(connection, query_id, sink)
    if standing is None:
        connection.execute(insert(LEDGER).values(query_id=query_id, sink=sink, epoch=epoch))
        return
    check_fence(standing, query_id, sink, epoch)
    connection.execute(update(LEDGER).where(*_is(LEDGER, query_id, sink)).values(epoch=epoch))


def check_fence(standing: Standing, query_id: str, sink: str, epoch: int) -> None:
    """Raises FencedError where a higher epoch has been seen."""
    if standing.epoch > epoch:
        raise FencedError(
            f"epoch {standing.epoch} has taken over sink {sink!r}; this is epoch {epoch}",
            subject=query_id,
            next_action="stop this query: a newer start of it is writing",
        )


def standing_of(connection: Connection, query_id: str, sink: str) -> Standing | None:
    """The ledger row, held against other writers until the transaction ends."""
    found = connection.execute(
        select(LEDGER.c.last_batch, LEDGER.c.epoch)
        .where(*_is(LEDGER, query_id, sink))
        .with_for_update()
    ).one_or_none()
    return None if found is None else Standing(last_batch=found.last_batch, epoch=found.epoch)


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


def _check_shape(connection: Connection, location: str) -> None:
    looker = inspect(connection)
    for table in (LEDGER, BATCHES):
        names = {column["name"] for column in looker.get_columns(table.name)}
        missing = [column.name for column in table.columns if column.name not in names]
        if missing:
            raise MalformedError(
                f"table {table.name} is no ledger that this release knows: "
                f"it has no column {', '.join(missing)}",
                subject=location,
                next_action="use the release that wrote it, or another database",
            )


def _short(text: str) -> str:
    return text if len(text) <= OFFSETS_SHOWN else f"{text[:OFFSETS_SHOWN]}…"
