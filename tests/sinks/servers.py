"""Real servers for the tests of the SQL sink, and how to look at their tables."""

import os
import uuid
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
from scripts.servers.loopback import UnavailableError
from scripts.servers.mariadb import mariadb_server
from scripts.servers.postgres import postgres_server
from sqlalchemy import make_url

from holdfast.adapters.sinks.sql import SqlSink, Steps, no_steps
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from tests.sinks.sql_tables import QUERY

POSTGRES = "HOLDFAST_TEST_POSTGRES"
MYSQL = "HOLDFAST_TEST_MYSQL"
"""Where writers in other processes find the server."""

needs_soak = pytest.mark.skipif(
    "HOLDFAST_SOAK" not in os.environ, reason="long: set HOLDFAST_SOAK=1"
)


@contextmanager
def postgres_url() -> Iterator[str]:
    """The URL of a new database, also in the environment for processes started meanwhile.

    On the server that the environment names, for whoever works on this, or on one of its own.
    """
    with _server(POSTGRES, postgres_server) as url:
        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        with _told(POSTGRES, f"{url.rpartition('/')[0]}/{name}") as new:
            yield new


@contextmanager
def mysql_url() -> Iterator[str]:
    """The same on MariaDB."""
    with _server(MYSQL, mariadb_server) as url:
        name = f"t{uuid.uuid4().hex[:12]}"
        my(url, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        with _told(MYSQL, f"{url.rpartition('/')[0]}/{name}") as new:
            yield new


@contextmanager
def _server(variable: str, start: Any) -> Iterator[str]:
    if variable in os.environ:
        yield os.environ[variable]
        return
    try:
        with start() as running:
            yield running.url
    except UnavailableError as error:
        pytest.skip(str(error))


@contextmanager
def _told(variable: str, url: str) -> Iterator[str]:
    before = os.environ.get(variable)
    os.environ[variable] = url
    try:
        yield url
    finally:
        os.environ.pop(variable)
        if before is not None:
            os.environ[variable] = before


def my(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Do one thing in MariaDB."""
    parsed = make_url(url)
    connection = pymysql.connect(
        host=str(parsed.host),
        port=parsed.port or 3306,
        user=str(parsed.username),
        password=str(parsed.password),
        database=parsed.database,
        charset="utf8mb4",
        autocommit=True,
    )
    with closing(connection), closing(connection.cursor()) as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def pg(url: str, statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    """Do one thing in a transaction of its own."""
    with psycopg.connect(url) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def pg_rows(url: str, table: str, what: str = "*") -> "Counter[tuple[Any, ...]]":
    """Every row with how often it is there. Never a set: a set hides duplicates."""
    return Counter(pg(url, f"SELECT {what} FROM {table}"))


def my_rows(url: str, table: str, what: str = "*") -> "Counter[tuple[Any, ...]]":
    """The same in MariaDB."""
    return Counter(my(url, f"SELECT {what} FROM {table}"))


def server_sink(
    url: str, table: str, epoch: int = 1, *, steps: Steps = no_steps, **options: Any
) -> SqlSink:
    """A sink that is open."""
    sink = SqlSink(SqlSinkOptions(url=url, table=table, **options), steps=steps)
    sink.open(QUERY, epoch)
    return sink


def table_for(folder: Path) -> str:
    """The name of a table that nobody else has."""
    return f"t{zlib.crc32(str(folder).encode()):08x}_{folder.name.replace('-', '_')[:20]}".lower()
