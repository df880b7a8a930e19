"""Choose the database behind a URL; drivers are loaded by name, when a URL asks for them."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from holdfast.adapters.sinks.databases.port import Database
from holdfast.adapters.sinks.databases.sqlite import SqliteDatabase
from holdfast.errors import NotInstalledError, UsageError

_SERVERS = {
    "postgresql": ("holdfast.adapters.sinks.databases.postgres", "postgres"),
    "postgres": ("holdfast.adapters.sinks.databases.postgres", "postgres"),
    "mysql": ("holdfast.adapters.sinks.databases.mysql", "mysql"),
    "mariadb": ("holdfast.adapters.sinks.databases.mysql", "mysql"),
}
_DRIVERS = ("", "psycopg", "pymysql")
FORMS = "sqlite:////path.db, postgresql://… or mysql://…"


def open_database(
    url: str, lock_wait_s: float, schema: str | None = None, **settings: Any
) -> Database:
    """The database behind a URL or a plain path; raises UsageError where it can be none.

    Settings are for servers; those that are None do not count. Nothing is opened yet.
    """
    if "://" not in url:
        return _sqlite(Path(url).absolute(), lock_wait_s, schema, settings)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The text is not quoted: it may hold a password.
        raise _wrong("url is no URL of a database", f"use {FORMS}") from None
    backend, _, driver = parsed.drivername.partition("+")
    if backend in _SERVERS:
        if driver not in _DRIVERS:
            raise _wrong(f"url names the driver {driver}", f"leave it out: {backend}://…")
        if "@" in (parsed.host or ""):
            raise _wrong("url has more than one @", "write %40 in place of one in the password")
        return _server(backend, parsed, lock_wait_s, schema, settings)
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise _wrong(f"url names {backend}, which is not known", f"use {FORMS}")
    if parsed.query or parsed.host:
        raise _wrong("url of sqlite takes a path and nothing else", "use sqlite:////path.db")
    if not parsed.database or parsed.database == ":memory:":
        raise _wrong(
            "a database in memory forgets its ledger at every restart", "use sqlite:////path.db"
        )
    return _sqlite(Path(parsed.database).absolute(), lock_wait_s, schema, settings)


def _sqlite(
    path: Path, lock_wait_s: float, schema: str | None, settings: Mapping[str, Any]
) -> Database:
    if schema is not None:
        raise _wrong("a SQLite file has no schemas", "remove schema")
    for name, value in settings.items():
        if value is not None:
            raise _wrong(f"{name} is for servers", f"remove {name}")
    return SqliteDatabase(path, lock_wait_s)


def _server(
    backend: str, url: URL, lock_wait_s: float, schema: str | None, settings: Mapping[str, Any]
) -> Database:
    module, extra = _SERVERS[backend]
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise NotInstalledError(
            f"the sink of kind 'sql' needs {error.name or error} for {backend}",
            subject=backend,
            next_action=f"pip install 'holdfast[{extra}]'",
        ) from error
    return cast(Database, found.open_server(url, lock_wait_s, schema, **settings))


def _wrong(message: str, next_action: str) -> UsageError:
    return UsageError(f"sql sink: {message}", subject="sink", next_action=next_action)
