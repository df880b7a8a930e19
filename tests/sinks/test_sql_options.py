"""Options are checked at the door, with exact words."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_ddl import parse_columns
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_types import Kind
from holdfast.errors import NotInstalledError, UsageError

GOOD = {"url": "/tmp/x.db", "table": "t"}


def test_options_of_a_declaration() -> None:
    options = SqlSinkOptions.parse(
        {
            **GOOD,
            "mode": "upsert",
            "key": ["id", "day, month"],
            "version": "at",
            "batch_column": None,
            "create": "true",
            "columns": "id long, `day, month` string, at timestamp",
            "lock_wait_seconds": 5,
        }
    )
    assert options == SqlSinkOptions(
        url="/tmp/x.db",
        table="t",
        mode="upsert",
        key=("id", "day, month"),
        version="at",
        create=True,
        columns="id long, `day, month` string, at timestamp",
        lock_wait_seconds=5.0,
    )
    assert SqlSinkOptions.parse({**GOOD, "mode": "upsert", "key": "id"}).key == ("id",)


@pytest.mark.parametrize(
    ("options", "message", "next_action"),
    [
        ({"tabel": "t"}, "unknown option 'tabel'", "did you mean 'table'?"),
        ({"zzz": 1}, "unknown option 'zzz'", "known are url, table, mode, key, version,"),
        ({"url": None}, "option 'url' is missing", "add url: …"),
        ({"table": None}, "option 'table' is missing", "add table: …"),
        ({"table": 7}, "table must be text", "put the value of table in quotes"),
        ({"table": " "}, "table cannot be empty", "give it a name"),
        ({"table": "a\x00b"}, "holds a NUL character", "use another name"),
        ({"table": "a\ud800"}, "is no UTF-8 text", "use another name"),
        ({"table": "Holdfast_x"}, "begins with holdfast_", "use another name"),
        ({"url": ""}, "url cannot be empty", "use sqlite:////path.db"),
        ({"mode": "merge"}, "mode cannot be 'merge'", "use append or upsert"),
        ({"mode": "upsert"}, "mode upsert needs a key", "name the key columns: key: [id]"),
        ({"mode": "upsert", "key": 3}, "key must be a column name or a list of them", "key: [id]"),
        ({"mode": "upsert", "key": ["a", "a"]}, "key names a column twice", "once"),
        ({"key": "id"}, "mode append takes no key", "use mode: upsert"),
        ({"version": "v"}, "mode append takes no version", "use mode: upsert"),
        (
            {"mode": "upsert", "key": "v", "version": "v"},
            "version 'v' is part of the key",
            "use another column",
        ),
        (
            {"mode": "upsert", "key": "v", "batch_column": "v"},
            "batch_column 'v' is used already",
            "use another name",
        ),
        ({"create": "yes"}, "create must be true or false", "write create: true"),
        ({"columns": "id long"}, "columns are for creating the table", "add create: true"),
        ({"lock_wait_seconds": "x"}, "lock_wait_seconds must be a number", "lock_wait_seconds: 30"),
        ({"lock_wait_seconds": -1}, "lock_wait_seconds cannot be -1.0", "from 0 to 3600"),
        ({"lock_wait_seconds": True}, "lock_wait_seconds cannot be nan", "from 0 to 3600"),
        ({"create": True, "columns": "id"}, "'id' is no column", "name type"),
        ({"create": True, "columns": "id wide"}, "unknown type 'wide'", "use one of byte,"),
        ({"create": True, "columns": "a int, a int"}, "column 'a' is given twice", "once"),
        ({"url": "sqlite://"}, "a database in memory forgets its ledger", "sqlite:////path.db"),
        ({"url": "sqlite:///:memory:"}, "a database in memory", "sqlite:////path.db"),
        ({"url": "sqlite:////x.db?mode=ro"}, "takes a path and nothing else", "sqlite:////path.db"),
        ({"url": "oracle://u:secret@h/d"}, "names oracle, which is not known", "postgresql://"),
        ({"url": "://secret"}, "url is no URL of a database", "sqlite:////path.db"),
    ],
)
def test_what_cannot_be_right(options: dict[str, Any], message: str, next_action: str) -> None:
    with pytest.raises(UsageError) as raised:
        SqlSink.from_options({**GOOD, **options})
    assert raised.value.message.startswith("sql sink: ")
    assert message in raised.value.message
    assert next_action in raised.value.next_action
    assert "secret" not in raised.value.message


def test_a_plain_path_may_have_any_character(tmp_path: Path) -> None:
    path = tmp_path / "50% off? #1.db"
    sink = SqlSink.from_options({"url": str(path), "table": "t", "create": True})
    sink.open("q", 1)
    assert path.exists()
    assert sink.location == f"sqlite:///{path}"


def test_columns_in_the_words_of_spark() -> None:
    ddl = (
        "id BIGINT NOT NULL, `full ``name``` string, price decimal(10, 2), tags array<string>, "
        "place struct<x: int, y: int>, m map<string, decimal(3,1)>, at: timestamp, day date, "
        "raw binary, ok boolean, score double, at2 timestamp_ntz, t time(6), c varchar(3)"
    )
    assert {name: column.kind for name, column in parse_columns(ddl).items()} == {
        "id": Kind.INTEGER,
        "full `name`": Kind.TEXT,
        "price": Kind.DECIMAL,
        "tags": Kind.JSON,
        "place": Kind.JSON,
        "m": Kind.JSON,
        "at": Kind.TIMESTAMP,
        "day": Kind.DATE,
        "raw": Kind.BINARY,
        "ok": Kind.BOOLEAN,
        "score": Kind.REAL,
        "at2": Kind.TIMESTAMP,
        "t": Kind.TIME,
        "c": Kind.TEXT,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schema": "s"}, "a SQLite file has no schemas"),
        ({"password": "secret"}, "password is for servers"),
        ({"url": "mysql://h/d", "schema": "s"}, "schema is for PostgreSQL"),
        ({"url": "postgresql://u:secret@h"}, "url names no database"),
        ({"url": "postgresql+asyncpg://h/d"}, "url names the driver asyncpg"),
        ({"url": "mysql://u:sec@ret@h/d"}, "url has more than one @"),
        ({"tombstone": "gone"}, "mode append takes no tombstone"),
        ({"mode": "upsert", "key": "k", "tombstone": "k"}, "tombstone 'k' is used already"),
        ({"quarantine": "holdfast_x"}, "begins with holdfast_"),
        ({"quarantine": "t", "table": "t"}, "quarantine is the table itself"),
        ({"url": "mysql://h/d", "table": "x" * 65}, "more than 64 characters"),
    ],
)
def test_what_cannot_be_right_of_servers(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        SqlSink.from_options({**GOOD, **options})
    assert message in raised.value.message
    assert "secret" not in raised.value.message + raised.value.subject


@pytest.mark.parametrize(("scheme", "extra"), [("postgresql", "postgres"), ("mariadb", "mysql")])
def test_a_driver_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, scheme: str, extra: str
) -> None:
    def missing(name: str) -> Any:
        raise ImportError("not there", name="a_driver")

    monkeypatch.setattr(
        "holdfast.adapters.sinks.databases.opening.importlib.import_module", missing
    )
    with pytest.raises(NotInstalledError) as raised:
        SqlSink.from_options({**GOOD, "url": f"{scheme}://u:secret@h/d"})
    assert raised.value.next_action == f"pip install 'holdfast[{extra}]'"
    assert "a_driver" in raised.value.message and "secret" not in raised.value.message
