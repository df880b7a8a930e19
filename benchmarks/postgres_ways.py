"""Ways of a batch into PostgreSQL: ours, Spark's own JDBC writer, and by hand."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
from pyspark.sql import DataFrame
from scripts.servers.postgres import PASSWORD, USER, PostgresServer

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.spark.columns import arrow_of
from holdfast.adapters.spark.on_executors import on_parts, workers_load
from holdfast.adapters.spark.zoned_values import zoned_row
from holdfast.core.running.batch import Batch

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"
PIECE = 1024 * 1024


_loaded: dict[tuple[str, ...], bool] = {}


class Executors:
    """What the ledger writer offers a sink; it asks the workers once in a query, as here."""

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame

    def have(self, modules: Sequence[str]) -> bool:
        asked = tuple(modules)
        if asked not in _loaded:
            _loaded[asked] = workers_load(self._frame.sparkSession, asked)
        return _loaded[asked]

    def each(
        self, function: Callable[[Iterator[Any]], Iterator[Any]], columns: str, parts_max: int
    ) -> Sequence[Sequence[Any]]:
        return on_parts(self._frame, function, columns, parts_max)


def opened(server: PostgresServer, table: str, **options: Any) -> SqlSink:
    """A sink of ours as a running query has it: opened once, before the batch that is timed."""
    sink = SqlSink(SqlSinkOptions(url=server.url, table=table, **options))
    sink.open(QUERY, 1)
    return sink


def ours(sink: SqlSink, frame: DataFrame, batch_id: int) -> None:
    """Rows and mark, once."""
    zoned = zoned_row(frame.schema)
    batch = Batch(
        query_id=QUERY,
        sink=sink.name,
        batch_id=batch_id,
        epoch=1,
        columns=tuple(frame.columns),
        rows=lambda: (zoned(row) for row in frame.toLocalIterator()),
        offsets={"0": {"end": batch_id}},
        arrow=lambda most: arrow_of(frame, most),
        types={field.name: field.dataType.simpleString() for field in frame.schema},
        on_executors=Executors(frame),
    )
    assert sink.write(batch)


def jdbc(server: PostgresServer, frame: DataFrame, table: str, *, rewrite: bool) -> None:
    """Spark's own writer, as it comes or as its users tune it; a batch may come in twice."""
    tuned = "?reWriteBatchedInserts=true" if rewrite else ""
    writer = frame.write.format("jdbc").mode("append")
    writer = writer.option("url", f"jdbc:postgresql://127.0.0.1:{server.port}/postgres{tuned}")
    writer = writer.option("driver", "org.postgresql.Driver").option("dbtable", table)
    writer = writer.option("user", USER).option("password", PASSWORD)
    (writer.option("batchsize", 10_000) if rewrite else writer).save()


def raw_copy(server: PostgresServer, file: Path, table: str) -> None:
    """What the server alone needs: rows that are in its binary form already."""
    with psycopg.connect(server.url) as connection, connection.cursor() as cursor:
        with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)".encode()) as copy:
            with file.open("rb") as given:
                while piece := given.read(PIECE):
                    copy.write(piece)


def executemany(
    server: PostgresServer, table: str, columns: Sequence[str], rows: Sequence[Any]
) -> None:
    """What people write in foreachBatch."""
    places = ", ".join(["%s"] * len(columns))
    with psycopg.connect(server.url) as connection, connection.cursor() as cursor:
        statement = f"INSERT INTO {table} VALUES ({places}) {on_conflict(columns)}"
        cursor.executemany(statement.encode(), rows)


def jdbc_and_merge(server: PostgresServer, frame: DataFrame, table: str) -> None:
    """Spark's own writer into a table beside it, and one statement."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE UNLOGGED TABLE beside (LIKE {table})".encode())
        jdbc(server, frame, "beside", rewrite=False)
        merge = f"INSERT INTO {table} SELECT * FROM beside {on_conflict(frame.columns)}"
        connection.execute(merge.encode())
        connection.execute("DROP TABLE beside")


def on_conflict(columns: Sequence[str]) -> str:
    sets = ", ".join(f"{name} = excluded.{name}" for name in columns if name != "id")
    return f"ON CONFLICT (id) DO UPDATE SET {sets}"
