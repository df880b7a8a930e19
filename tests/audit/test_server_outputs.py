"""Readers of outputs on real servers: PostgreSQL and Kafka."""

import json
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from psycopg import sql
from scripts.servers.kafka import broker
from scripts.servers.loopback import UnavailableError, free_ports
from scripts.servers.postgres import PASSWORD, PostgresServer, postgres_server
from typer.testing import CliRunner

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.adapters.outputs.opening import open_output
from holdfast.core.crash.table import EMPTY, Table
from holdfast.errors import TooLargeError, UnreachableError
from holdfast.surfaces.cli.audit import app

JOB = Path(__file__).with_name("little_job.py")
pytestmark = pytest.mark.server


def rows(table: Table) -> "Counter[tuple[str, ...]]":
    return Counter(table.rows)


# --- PostgreSQL


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        with postgres_server() as running:
            yield running
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def connection(server: PostgresServer) -> Iterator["psycopg.Connection[Any]"]:
    with psycopg.connect(server.url) as connected:
        yield connected
        connected.rollback()


def spec(server: PostgresServer, table: str) -> str:
    return f"postgres:{server.url}?table={table}"


def make(connection: "psycopg.Connection[Any]", *name: str) -> sql.Identifier:
    table = sql.Identifier(*name)
    if len(name) == 2:
        space = sql.Identifier(name[0])
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(space))
    connection.execute(sql.SQL("CREATE TABLE {} (b text, a int)").format(table))
    connection.execute(sql.SQL("INSERT INTO {} VALUES ('x', 1), ('x', 1), (NULL, 2)").format(table))
    connection.commit()
    return table


@pytest.mark.parametrize(
    ("name", "written"),
    [
        (("plain",), "plain"),
        (("folded",), "Folded"),
        (("Exact",), "Exact"),
        (("select",), "select"),
        (("odd name; --",), "odd name; --"),
        (('quo"te%s 100%',), '"quo""te%25s 100%25"'),
        (("dot.ted",), '"dot.ted"'),
        (("gold", "orders"), "gold.orders"),
        (("my.space", "Odd Table"), '"my.space".Odd Table'),
    ],
)
def test_postgres_finds_a_table_whatever_its_name(
    server: PostgresServer,
    connection: "psycopg.Connection[Any]",
    name: tuple[str, ...],
    written: str,
) -> None:
    output = open_output(spec(server, written))
    assert output.read() == EMPTY
    make(connection, *name)
    table = output.read()
    assert table.columns == ("a", "b")
    assert rows(table) == {("1", '"x"'): 2, ("2", "null"): 1}


def test_postgres_shows_what_is_committed_and_waits_for_nobody(
    server: PostgresServer, connection: "psycopg.Connection[Any]", monkeypatch: pytest.MonkeyPatch
) -> None:
    make(connection, "committed")
    output = open_output(spec(server, "committed"))
    connection.execute("DELETE FROM committed")
    assert len(output.read().rows) == 3
    connection.execute("PREPARE TRANSACTION 'left'")
    assert len(output.read().rows) == 3
    with psycopg.connect(server.url, autocommit=True) as other:
        other.execute("ROLLBACK PREPARED 'left'")
    # A lock that keeps readers out: the look ends by itself, and says why.
    connection.execute("LOCK TABLE committed")
    monkeypatch.setattr(
        "holdfast.adapters.outputs.postgres._SETTINGS", ("SET LOCAL lock_timeout = '50ms'",)
    )
    with pytest.raises(UnreachableError, match="lock timeout"):
        output.read()


def test_postgres_values_are_what_was_written(
    server: PostgresServer, connection: "psycopg.Connection[Any]"
) -> None:
    connection.execute("SET timezone = 'Asia/Tokyo'")
    connection.execute(
        "CREATE TABLE kinds AS SELECT 12345678901234567890.12345678901234567800::numeric AS a,"
        " '2020-01-01 09:00:00.000001+09'::timestamptz AS b, '0001-01-01'::timestamp AS c,"
        " 0.1::float8 AS d, '-0'::float8 AS e, 'NaN'::float8 AS f, '\\x00ff'::bytea AS g,"
        ' ARRAY[1, NULL] AS h, \'{"b": [1], "a": null}\'::jsonb AS i, true AS j'
    )
    connection.commit()
    assert open_output(spec(server, "kinds")).read().rows == (
        (
            "12345678901234567890.123456789012345678",
            "2020-01-01T00:00:00.000001+00:00",
            "0001-01-01T00:00:00.000000",
            "0.1",
            "-0.0",
            "NaN",
            "0x00ff",
            "[1, null]",
            '{"a": null, "b": [1]}',
            "true",
        ),
    )


def test_postgres_that_cannot_be_reached_is_said_without_the_password(
    server: PostgresServer,
) -> None:
    (port,) = free_ports(1)
    wrong = PASSWORD[:-1] + "X"
    for url in (
        f"postgresql://holdfast:{PASSWORD}@127.0.0.1:{port}/postgres?table=t",
        f"postgresql://holdfast:{wrong}@127.0.0.1:{server.port}/postgres?table=t",
        f"postgresql://holdfast:{PASSWORD}@127.0.0.1:{server.port}/no_such?table=t",
        f"postgresql://holdfast:{PASSWORD}@127.0.0.1:{server.port}/postgres?no_such=1&table=t",
    ):
        with pytest.raises(UnreachableError, match="cannot be read") as caught:
            open_output(f"postgres:{url}").read()
        told = f"{caught.value.message} {caught.value.subject} {caught.value.next_action}"
        assert PASSWORD[:-1] not in told and "SELECT" not in told
        assert caught.value.__cause__ is None


def test_postgres_of_a_whole_business_is_not_read_into_memory(
    server: PostgresServer, connection: "psycopg.Connection[Any]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.outputs.postgres.OUTPUT_ROWS_MAX", 10)
    monkeypatch.setattr("holdfast.core.crash.table.OUTPUT_ROWS_MAX", 10)
    connection.execute("CREATE TABLE large AS SELECT generate_series(1, 100000) AS n")
    connection.commit()
    with pytest.raises(TooLargeError):
        open_output(spec(server, "large")).read()


@pytest.mark.skipif(gate_obstacle() is not None, reason="no gate can be had here")
def test_a_program_that_writes_to_postgres_is_audited(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once by names that are new for every trial, once in one table with a reset."""
    monkeypatch.chdir(tmp_path)
    told = []
    for number, (mode, table, more) in enumerate(
        (
            ("once", "orders_{run}", []),
            ("append", "orders", ["--reset", f"{sys.executable} reset.py"]),
        )
    ):
        Path("reset.py").write_text(
            "import psycopg\n"
            f"with psycopg.connect({server.url!r}) as c: c.execute('DROP TABLE IF EXISTS orders')\n"
        )
        command = f"{sys.executable} {JOB} {{work}}/ck {mode} postgres {server.url} {table}"
        given = ["--command", command, "--checkpoint", "{work}/ck", "--read", spec(server, table)]
        given += ["--folder", str(tmp_path / f"audit{number}"), "--output", "json", *more]
        given += ["--ignore", "told", "--points", "K9", "--points", "K2"]
        done = CliRunner().invoke(app, given)
        assert PASSWORD not in done.output
        told.append(sorted({o["outcome"] for o in json.loads(done.stdout)["result"]["outcomes"]}))
    assert told == [["exact"], ["exact", "wrong"]]


# --- Kafka


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    try:
        with broker(partitions=2) as address:
            yield address
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def topic(servers: str) -> str:
    name = f"t-{uuid.uuid4().hex}"
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(name, 2, 1)])[name].result(30)
    return name


def producer(servers: str, **settings: Any) -> Producer:
    return Producer({"bootstrap.servers": servers, **settings})


def transactional(servers: str, name: str) -> Producer:
    made = producer(servers, **{"transactional.id": name, "transaction.timeout.ms": 600_000})
    made.init_transactions(30)
    return made


def test_kafka_shows_records_without_place_and_time(servers: str, topic: str) -> None:
    output = open_output(f"kafka:{servers}/{topic}")
    assert output.read().rows == ()
    sender = producer(servers)
    for number in range(2500):
        sender.produce(topic, key=str(number % 5), value=b"v")
    sender.produce(topic, key=None, value=None, headers=[("h", b"1"), ("h", None)])
    sender.flush(30)
    table = output.read()
    assert table.columns == ("headers", "key", "value")
    assert rows(table) == {
        **{("null", f"0x3{digit}", "0x76"): 500 for digit in range(5)},
        ('[["h", 0x31], ["h", null]]', "null", "null"): 1,
    }


def test_kafka_shows_no_aborted_and_no_open_transaction(servers: str, topic: str) -> None:
    output = open_output(f"kafka:{servers}/{topic}")

    def send(who: Producer, value: str, end: Callable[[], Any] | None) -> None:
        who.begin_transaction()
        for partition in (0, 1):
            who.produce(topic, value=value, partition=partition)
        who.flush(30)
        if end is not None:
            end()

    first, second = transactional(servers, f"{topic}-1"), transactional(servers, f"{topic}-2")
    send(first, "aborted", first.abort_transaction)
    assert output.read().rows == ()
    send(first, "committed", first.commit_transaction)
    send(first, "aborted", first.abort_transaction)
    committed = {("null", "null", f"0x{b'committed'.hex()}"): 2}
    assert rows(output.read()) == committed
    send(second, "open", None)
    send(first, "behind", first.commit_transaction)
    assert rows(output.read()) == committed, "what is behind an open transaction waits for it"
    assert len(_uncommitted(servers, topic)) == 10, "the control: it is all there"
    second.commit_transaction()
    values = Counter(value for _headers, _key, value in output.read().rows)
    assert values == {f"0x{word.encode().hex()}": 2 for word in ("committed", "open", "behind")}


def _uncommitted(servers: str, topic: str) -> list[bytes]:
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": uuid.uuid4().hex,
            "isolation.level": "read_uncommitted",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([topic])
    found: list[bytes] = []
    deadline = time.monotonic() + 60
    while len(found) < 10 and time.monotonic() < deadline:
        found += [m.value() for m in consumer.consume(10, timeout=1.0) if m.error() is None]
    consumer.close()
    return found


def test_kafka_without_the_topic_has_no_rows_and_gets_no_topic(servers: str) -> None:
    assert open_output(f"kafka:{servers}/not-there").read() == EMPTY
    assert (
        "not-there"
        not in AdminClient({"bootstrap.servers": servers}).list_topics(timeout=10).topics
    )


def test_kafka_that_does_not_answer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.adapters.outputs.kafka._ANSWER_S", 1.0)
    (port,) = free_ports(1)
    with pytest.raises(UnreachableError, match="cannot be read"):
        open_output(f"kafka:127.0.0.1:{port}/t").read()
