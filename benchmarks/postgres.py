"""The sql sink into PostgreSQL against Spark's JDBC writer and rows by hand, by turns."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import inputs
import psycopg
from measure import Row, tree_cpu_s
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

sys.path.insert(0, str(inputs.ROOT))
from postgres_ways import executemany, jdbc, jdbc_and_merge, opened, ours, raw_copy
from scripts.jars import fetch
from scripts.servers.postgres import PostgresServer, postgres_server

ROWS = 1_000_000
FIRST_ROWS = 60_000
"""Of the batch before the one that is timed, which says that batches are large."""
BY_HAND_ROWS = 100_000
"""Rows that executemany gets; it is compared by rows in a second."""
ROUNDS = (3, 5)
SMALL_ROUNDS = 40
DDL = (
    "id bigint, sensor int, small smallint, value double precision, ratio real, flag boolean,"
    " price numeric(18,2), text text, at timestamptz, day date"
)

Act = Callable[[], None]


def rows(repeat: int) -> Iterator[Row]:
    """Appends, upserts, and batches of one row."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.jars", fetch.jars("lake"))
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    rounds = max(ROUNDS[0], min(repeat, ROUNDS[1]))
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=Path.home()) as folder,
        postgres_server(durable=True) as server,
    ):
        for name, first in (("base", 0), ("new", ROWS // 2)):
            _input(spark, first).write.parquet(f"{folder}/{name}")
        base = spark.read.parquet(f"{folder}/base")
        yield from _appends(server, base, Path(folder) / "raw", rounds)
        yield from _upserts(server, base, spark.read.parquet(f"{folder}/new"), rounds)
        yield _one_row(server, _input(spark, 0).limit(1).coalesce(1).localCheckpoint())
    spark.stop()


def _appends(server: PostgresServer, frame: DataFrame, file: Path, rounds: int) -> Iterator[Row]:
    ways: dict[str, Callable[[str], Act]] = {
        "ours": lambda table: _by_sink(server, table, frame, _create),
        "jdbc": lambda table: lambda: jdbc(server, frame, table, rewrite=False),
        "tuned": lambda table: lambda: jdbc(server, frame, table, rewrite=True),
        "raw": lambda table: lambda: raw_copy(server, file, table),
    }
    _create(server, "given")
    jdbc(server, frame, "given", rewrite=True)
    wanted = _checksum(server, "given", frame.columns)
    assert wanted[0] == ROWS
    _export(server, "given", file)
    spent = _by_turns(server, ways, rounds, wanted, frame.columns, _create)
    raw = statistics.median(spent["raw"])
    note = f"binary COPY of a file {raw:.2f} s"
    yield _compared("append of 1 M rows, against Spark's JDBC", spent, "jdbc", 3.0, note)
    said = "append of 1 M rows, against JDBC with rewritten inserts of 10,000"
    yield _compared(said, spent, "tuned", 1.3, note)


def _upserts(server: PostgresServer, base: DataFrame, new: DataFrame, rounds: int) -> Iterator[Row]:
    few = new.where(F.col("id").between(ROWS - BY_HAND_ROWS // 2, ROWS + BY_HAND_ROWS // 2 - 1))
    given = [tuple(row) for row in few.collect()]
    assert len(given) == BY_HAND_ROWS

    def create(server: PostgresServer, table: str) -> None:
        _create(server, table, key=True)
        with psycopg.connect(server.url) as connection:
            connection.execute(f"INSERT INTO {table} SELECT * FROM given".encode())

    create(server, "merged")
    jdbc_and_merge(server, new, "merged")
    wanted = _checksum(server, "merged", base.columns)
    assert wanted[0] == ROWS + ROWS // 2
    ways: dict[str, Callable[[str], Act]] = {
        "ours": lambda table: _by_sink(server, table, new, create, mode="upsert", key=("id",)),
        "merge": lambda table: lambda: jdbc_and_merge(server, new, table),
    }
    spent = _by_turns(server, ways, rounds, wanted, base.columns, create)
    by_hand: list[float] = []
    for _ in range(rounds):
        create(server, "way")
        by_hand.append(_timed(lambda: executemany(server, "way", base.columns, given)))
        assert _checksum(server, "way", base.columns)[0] == ROWS + BY_HAND_ROWS // 2
    spent["by hand"] = [seconds * ROWS / BY_HAND_ROWS for seconds in by_hand]
    note = f"by hand {BY_HAND_ROWS:,} rows in {statistics.median(by_hand):.1f} s, times ten"
    said = "upsert of 1 M rows, half of them updates, against executemany ON CONFLICT"
    yield _compared(said, spent, "by hand", 5.0, note)
    yield _compared("the same, against JDBC into a table beside it", spent, "merge", 1.3, "")


def _one_row(server: PostgresServer, frame: DataFrame) -> Row:
    """How much longer a batch of one row takes than an append without a ledger."""
    for table in ("small", "stock"):
        _create(server, table)
    sink = opened(server, "small", bulk="never")
    mine: list[float] = []
    stock: list[float] = []
    flushes: list[float] = []
    for number in range(SMALL_ROUNDS + 5):
        took = (
            _timed(lambda number=number: ours(sink, frame, number)),  # type: ignore[misc]
            _timed(lambda: jdbc(server, frame, "stock", rewrite=False)),
            _flush(server),
        )
        for seconds, times in zip(took, (mine, stock, flushes), strict=True):
            times.append(seconds)
    wanted = _checksum(server, "stock", frame.columns)
    assert wanted == _checksum(server, "small", frame.columns) and wanted[0] == len(mine)
    more = [a - b for a, b in zip(mine[5:], stock[5:], strict=True)]
    flush = statistics.median(flushes) * 1000
    one, other = (statistics.median(times) * 1000 for times in (mine, stock))
    return Row(
        what="batch of one row, more than Spark's JDBC append of it",
        measured=round(statistics.median(more) * 1000, 1),
        bound=round(flush + 2, 1),
        unit="ms",
        note=f"{one:.0f} ms against {other:.0f} ms; one flush of the log {flush:.1f} ms",
    )


def _by_sink(
    server: PostgresServer,
    table: str,
    frame: DataFrame,
    create: Callable[[PostgresServer, str], None],
    **options: Any,
) -> Act:
    """The second batch of a query, of which the first was large; the table is as new."""
    with psycopg.connect(server.url) as connection:
        found = connection.execute("SELECT to_regclass('holdfast_ledger')").fetchone()
        if found is not None and found[0] is not None:
            connection.execute("DELETE FROM holdfast_ledger WHERE sink = %s", [table])
            connection.execute("DELETE FROM holdfast_batches WHERE sink = %s", [table])
    sink = opened(server, table, **options)
    ours(sink, frame.limit(FIRST_ROWS), 0)
    create(server, table)
    return lambda: ours(sink, frame, 1)


def _by_turns(
    server: PostgresServer,
    ways: dict[str, Callable[[str], Act]],
    rounds: int,
    wanted: tuple[Any, ...],
    columns: list[str],
    create: Callable[[PostgresServer, str], None],
) -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {f"{n}{cpu}": [] for n in ways for cpu in ("", " CPU")}
    for number in range(rounds + 1):
        for name in list(ways) if number % 2 else list(reversed(ways)):
            create(server, "way")
            act = ways[name]("way")
            cpu = tree_cpu_s()
            seconds = _timed(act)
            cpu = tree_cpu_s() - cpu
            assert _checksum(server, "way", columns) == wanted, name
            if number:  # the first round warms Spark up
                spent[name].append(seconds)
                spent[f"{name} CPU"].append(cpu)
    return spent


def _compared(what: str, spent: dict[str, list[float]], other: str, bound: float, note: str) -> Row:
    ratios = [b / a for a, b in zip(spent["ours"], spent[other], strict=True)]
    mine, theirs = (statistics.median(spent[name]) for name in ("ours", other))
    spread = ", ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
    cpus = [statistics.median(spent.get(f"{name} CPU", [0.0])) for name in ("ours", other)]
    cpu = f"CPU of all {cpus[0]:.1f} s against {cpus[1]:.1f} s" if all(cpus) else ""
    return Row(
        what=what,
        measured=round(statistics.median(ratios), 2),
        bound=bound,
        unit="times faster",
        at_least=True,
        note="; ".join(filter(None, [f"{mine:.2f} s against {theirs:.2f} s", spread, cpu, note])),
    )


def _timed(act: Act) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _flush(server: PostgresServer) -> float:
    """What one commit costs that does next to nothing."""
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS flushed (n int)")
        connection.commit()
        connection.execute("INSERT INTO flushed VALUES (1)")
        return _timed(connection.commit)


def _create(server: PostgresServer, table: str, *, key: bool = False) -> None:
    more = ", PRIMARY KEY (id)" if key else ""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {table}".encode())
        connection.execute(f"CREATE TABLE {table} ({DDL}{more})".encode())
        connection.execute("CHECKPOINT")


def _checksum(server: PostgresServer, table: str, columns: list[str]) -> tuple[Any, ...]:
    """Rows and a sum over all of them in which no value is left out."""
    hashed = f"sum(hash_record_extended(ROW({', '.join(columns)}), 0))"
    with psycopg.connect(server.url) as connection:
        found = connection.execute(f"SELECT count(*), {hashed} FROM {table}".encode()).fetchone()
    assert found is not None
    return found


def _export(server: PostgresServer, table: str, file: Path) -> None:
    with psycopg.connect(server.url) as connection, connection.cursor() as cursor:
        with cursor.copy(f"COPY {table} TO STDOUT (FORMAT binary)".encode()) as copy:
            file.write_bytes(b"".join(bytes(piece) for piece in copy))


def _input(spark: SparkSession, first: int) -> DataFrame:
    """Ten columns; the same ids with other values where `first` is another one."""
    i = F.col("id")
    shifted = i + first
    return spark.range(first, first + ROWS, 1, 2).select(
        i,
        (i % 1000).cast("int").alias("sensor"),
        (i % 100).cast("short").alias("small"),
        (shifted * 0.5).alias("value"),
        (i * 0.25).cast("float").alias("ratio"),
        (i % 2 == 0).alias("flag"),
        (shifted.cast("decimal(18,2)") / 7).cast("decimal(18,2)").alias("price"),
        F.sha1(shifted.cast("string")).alias("text"),
        F.timestamp_micros(i * 1000 + 1_700_000_000_000_000).alias("at"),
        F.date_add(F.lit("2024-01-01"), (i % 1000).cast("int")).alias("day"),
    )
