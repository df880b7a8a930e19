"""Rows of a table of ours into the target by MERGE, where that does what ON CONFLICT would.

ON CONFLICT puts every row in on trial and takes it back where the key is there; MERGE looks first,
and needs a third less of the server. It does not wait for a key that somebody else inserts at the
same moment, and it does not call triggers of INSERT for a row that is there: where that may be,
the caller goes the other way.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from psycopg import Connection, errors

from holdfast.adapters.sinks.databases.port import Newer

MERGE_SINCE = 150_000
"""The release that has MERGE, as the server counts."""

_PLAIN = (
    "SELECT c.relkind = 'r' AND NOT (c.relhastriggers OR c.relhasrules OR c.relrowsecurity"
    " OR c.relhassubclass) FROM pg_catalog.pg_class c"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = %s AND c.relname = %s"
)
# The key of each row is looked up in its index. Else a large table may be read whole for a few
# rows: nobody has counted the rows of a table that was made a moment ago.
_BY_INDEX = b"SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"


def can_merge(connection: "Connection[Any]", space: str, table: str) -> bool:
    """Whether the server has MERGE, and nothing of the table would notice the difference."""
    if connection.info.server_version < MERGE_SINCE:
        return False
    found = connection.execute(_PLAIN, [space, table]).fetchone()
    return found is not None and bool(found[0])


def repeats(connection: "Connection[Any]", source: str, key: Sequence[str]) -> bool:
    """Whether two rows have the same key; names as they stand in SQL, and no key is null."""
    distinct = f"count(DISTINCT {key[0]}) FROM {source}"
    if len(key) > 1:
        # A row of several columns sorts slowly.
        by = ", ".join(key)
        distinct = (
            f"(SELECT count(*) FROM (SELECT 1 FROM {source} GROUP BY {by}) AS g) FROM {source}"
        )
    found = connection.execute(f"SELECT count(*), {distinct}".encode()).fetchone()
    return found is None or found[0] != found[1]


def merge(
    connection: "Connection[Any]",
    quote: Callable[[str], str],
    target: str,
    source: str,
    words: Mapping[str, str],
    key: Sequence[str],
    newer: Newer | None,
) -> bool:
    """Bring the rows in; False where somebody else's row was in the way, and nothing was done."""
    on = " AND ".join(f"t.{quote(name)} = s.{words[name]}" for name in key)
    back = {quote(name): f"s.{word}" for name, word in words.items()}
    others = [name for name in words if name not in key]
    sets = ", ".join(f"{quote(name)} = s.{words[name]}" for name in others)
    when = "" if newer is None else f" AND ({newer(lambda c: f't.{c}', lambda c: back[c])})"
    matched = f"WHEN MATCHED{when} THEN UPDATE SET {sets} " if others else ""
    statement = (
        f"MERGE INTO {target} AS t USING {source} ON {on} {matched}WHEN NOT MATCHED THEN"
        f" INSERT ({', '.join(map(quote, words))})"
        f" VALUES ({', '.join(f's.{word}' for word in words.values())})"
    )
    connection.execute(b"SAVEPOINT holdfast_merge")
    try:
        connection.execute(_BY_INDEX)
        connection.execute(statement.encode())
    except (errors.UniqueViolation, errors.CardinalityViolation):
        connection.execute(b"ROLLBACK TO SAVEPOINT holdfast_merge")
        return False
    return True
