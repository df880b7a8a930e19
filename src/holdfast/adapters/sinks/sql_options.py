"""The options of a SQL sink, checked at the door."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, get_args

from holdfast.adapters.sinks.option_values import (
    column_names,
    refuse_unknown,
    require_text,
    true_or_false,
    wrong,
)
from holdfast.errors import UsageError

Mode = Literal["append", "upsert"]
Bulk = Literal["auto", "always", "never"]

_KIND = "sql"
_TEXTS = (
    *("url", "table", "schema", "password", "mode", "version", "tombstone"),
    *("batch_column", "columns", "quarantine", "bulk"),
)

RESERVED_PREFIX = "holdfast_"
"""Tables of this prefix are ours."""

LOCK_WAIT_SECONDS = 30.0
"""How long a sink waits for a database that another connection has locked, unless told."""

LOCK_WAIT_SECONDS_MAX = 3_600.0
"""Longer than the longest batch of another writer need not be waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlSinkOptions:
    """Where and how a SQL sink writes. Raises UsageError where that cannot be right."""

    url: str = field(repr=False)
    """'sqlite:////path.db', the plain path of a SQLite file, 'postgresql://…' or 'mysql://…'."""
    table: str
    """Its name exactly as the database spells it; a dot in it is an ordinary character."""
    mode: Mode = "append"
    key: tuple[str, ...] = ()
    """Columns that tell rows apart; upsert only, where the table needs them unique."""
    version: str | None = None
    """Column that says which of two rows with one key is newer; upsert only.

    An older version never overwrites a newer one. Of the same version the row that is there
    stays. NULL is older than every version. Without a version the later batch wins.
    """
    batch_column: str | None = None
    """A column that gets the id of the batch, where one is wanted."""
    create: bool = False
    """Create the file and the table where they do not exist."""
    columns: str | None = None
    """DDL such as 'id long, name string' for create; else types come from the first rows."""
    add_columns: bool = False
    """Add columns to the table that a batch has and the table has not; they may be null."""
    quarantine: str | None = None
    """A table for rows that the target cannot hold, with the reason; else they stop the job."""
    lock_wait_seconds: float = LOCK_WAIT_SECONDS
    tombstone: str | None = None
    """Boolean column that says of a row that it deletes its key; upsert only.

    A table that has the column keeps the row, marked; from any other the row is removed.
    """
    schema: str | None = None
    """Of table and ledger, on PostgreSQL; else the first one of the search path."""
    password: str | None = field(default=None, repr=False)
    """In place of one in the URL, where it would have to be percent-encoded."""
    bulk: Bulk = "auto"
    """Whether executors put the rows in, on PostgreSQL: where a batch is likely large, or always,
    or never. What cannot go that way goes through the driver in any case."""

    def __post_init__(self) -> None:
        """Check what can be checked without the database."""
        _check_names(self)
        if self.mode not in get_args(Mode):
            raise _wrong(f"mode cannot be {self.mode!r}", "use append or upsert")
        if self.bulk not in get_args(Bulk):
            raise _wrong(f"bulk cannot be {self.bulk!r}", "use auto, always or never")
        if self.mode == "upsert" and not self.key:
            raise _wrong("mode upsert needs a key", "name the key columns: key: [id]")
        if self.mode == "append" and self.key:
            raise _wrong("mode append takes no key", "remove key, or use mode: upsert")
        if self.mode == "append" and self.version is not None:
            raise _wrong("mode append takes no version", "remove version, or use mode: upsert")
        if self.mode == "append" and self.tombstone is not None:
            raise _wrong("mode append takes no tombstone", "remove tombstone, or use mode: upsert")
        if len(set(self.key)) != len(self.key):
            raise _wrong("key names a column twice", "name each key column once")
        if self.version in self.key:
            raise _wrong(f"version {self.version!r} is part of the key", "use another column")
        if self.tombstone is not None and self.tombstone in {*self.key, self.version}:
            raise _wrong(f"tombstone {self.tombstone!r} is used already", "use another column")
        used = {*self.key, self.version, self.tombstone}
        if self.batch_column is not None and self.batch_column in used:
            raise _wrong(f"batch_column {self.batch_column!r} is used already", "use another name")
        if self.quarantine == self.table:
            raise _wrong("quarantine is the table itself", "use another name")
        if self.columns is not None and not self.create:
            raise _wrong("columns are for creating the table", "add create: true")
        if not 0 <= self.lock_wait_seconds <= LOCK_WAIT_SECONDS_MAX:
            raise _wrong(
                f"lock_wait_seconds cannot be {self.lock_wait_seconds}",
                f"use a number from 0 to {LOCK_WAIT_SECONDS_MAX:.0f}",
            )

    @classmethod
    def parse(cls, options: Mapping[str, Any]) -> Self:
        """From the options of a declaration; raises UsageError that names the option."""
        known = [option.name for option in fields(cls)]
        refuse_unknown(_KIND, options, known)
        for name in ("url", "table"):
            if options.get(name) is None:
                raise _wrong(f"option {name!r} is missing", f"add {name}: …")
        values = {name: value for name, value in options.items() if value is not None}
        require_text(_KIND, values, _TEXTS)
        if "key" in values:
            values["key"] = column_names(_KIND, "key", values["key"])
        for name in ("create", "add_columns"):
            if name in values:
                values[name] = true_or_false(_KIND, name, values[name])
        if "lock_wait_seconds" in values:
            values["lock_wait_seconds"] = _number("lock_wait_seconds", values["lock_wait_seconds"])
        return cls(**values)


def ascii_lower(name: str) -> str:
    """How SQLite compares names: letters A to Z without regard to case, others exactly."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)


def check_identifier(what: str, name: str) -> None:
    """Refuse what no quoting can make a name: nothing at all, NUL, half a surrogate pair."""
    if not name.strip():
        raise _wrong(f"{what} cannot be empty", "give it a name")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise _wrong(f"{what} {name!r} is no UTF-8 text", "use another name") from None
    if "\x00" in name:
        raise _wrong(f"{what} {name!r} holds a NUL character", "use another name")


def _check_names(options: SqlSinkOptions) -> None:
    if not options.url.strip():
        raise _wrong("url cannot be empty", "use sqlite:////path.db, or the URL of a server")
    check_identifier("table", options.table)
    for column in options.key:
        check_identifier("a key column", column)
    for what in ("version", "tombstone", "batch_column", "quarantine", "schema"):
        if getattr(options, what) is not None:
            check_identifier(what, getattr(options, what))
    for what in ("table", "quarantine"):
        name = getattr(options, what) or ""
        if ascii_lower(name).startswith(RESERVED_PREFIX):
            raise _wrong(
                f"{what} {name!r} begins with {RESERVED_PREFIX}, as the ledger does",
                "use another name",
            )


def _wrong(message: str, next_action: str) -> UsageError:
    return wrong(_KIND, message, next_action)


def _number(name: str, value: Any) -> float:
    try:
        return float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        raise _wrong(f"{name} must be a number", f"write {name}: 30") from None
