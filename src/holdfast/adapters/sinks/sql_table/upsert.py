"""Rows by their key: the newest of each key is in the table, or was deleted.

Rows are ordered by version, of one version a tombstone comes after a row, and of what is still
equal the higher digest counts: no choice of ours depends on the order in which Spark delivers
rows. What a key has become is the greatest row that was ever given, so writing is idempotent.

A table that has the tombstone column keeps deleted rows, marked. From any other they are removed,
and where there is a version it is remembered in a table of ours, so that an older row that comes
in a later batch does not bring the key back.
"""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from sqlalchemy import Connection

from holdfast.adapters.sinks.databases.port import (
    Database,
    Newer,
    Staged,
    TargetColumn,
    TargetTable,
)
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table.encoding import StoredRow
from holdfast.core.running.batch import Batch

DELETED_PREFIX = "holdfast_deleted_"

_NAME_CHARACTERS_MAX = 40
"""Of a table's name in that of its memory; databases allow 63 in all."""


class Upsert:
    """Upserts into one table."""

    def __init__(self, database: Database, options: SqlSinkOptions) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._options = options

    def prepare(self, connection: Connection, table: TargetTable) -> None:
        """Create the memory of deleted keys, where one is needed and not there."""
        if not self._remembers(table):
            return
        name = deleted_name(table.name)
        if name in self._database.table_names(connection):
            return
        quote, columns = self._database.quote, _by_name(table)
        version = columns[str(self._options.version)]
        parts = [f"{quote(key)} {columns[key].declared}" for key in self._options.key]
        parts.append(f"{quote(version.name)} {version.declared}")
        parts.append(f"PRIMARY KEY ({', '.join(map(quote, self._options.key))})")
        with self._database.defining(connection) as defining:
            self._database.run(
                defining,
                f"CREATE TABLE {self._database.placed(name)} ({', '.join(parts)})"
                f"{self._database.table_options()}",
            )

    def write(
        self, connection: Connection, table: TargetTable, batch: Batch, rows: Iterable[StoredRow]
    ) -> None:
        """Through a staging table of this connection, so that memory does not grow with keys."""
        columns, column = _by_name(table), self._options.batch_column
        kept = [i for i, name in enumerate(batch.columns) if name in columns]
        tail = () if column is None else (batch.batch_id,)
        names = [*(batch.columns[i] for i in kept), *(() if column is None else (column,))]
        words = {name: f"c{i}" for i, name in enumerate(names)}
        stage = self._database.create_stage(
            connection, {word: columns[name] for name, word in words.items()}
        )
        self._database.put(
            connection,
            stage,
            [*words.values(), "own", "dead"],
            (
                ((*(row.values[i] for i in kept), *tail, row.own, int(row.dead)), row.size)
                for row in rows
            ),
        )
        self._merge(connection, table, words, stage, "own DESC")

    def move(
        self, connection: Connection, table: TargetTable, batch: Batch, staged: Staged
    ) -> None:
        """From the tables of executors; of what is else equal the greatest by its values counts."""
        columns, column = _by_name(table), self._options.batch_column
        given = dict(zip(batch.columns, staged.columns, strict=True))
        words = {name: word for name, word in given.items() if name in columns}
        chosen = list(words.values())
        if column is not None:
            chosen.append(f"CAST({batch.batch_id} AS bigint) AS b")
        tomb = "0"
        if self._options.tombstone is not None:
            tomb = f"CASE WHEN {given[self._options.tombstone]} THEN 1 ELSE 0 END"
        selected = f"SELECT {', '.join([*chosen, f'{tomb} AS dead'])} FROM "
        source = " UNION ALL ".join(f"{selected}{stage}" for stage in staged.tables)
        last = [self._database.order_down(word, columns[name]) for name, word in words.items()]
        words |= {} if column is None else {column: "b"}
        stages, key = self._database.stages, self._options.key
        if stages is not None and not self._removes(table):
            newer = self._newer(table)
            if stages.merge(connection, table.name, source, words, key, newer):
                return
        self._merge(connection, table, words, f"({source}) AS staged", ", ".join(last))

    def _merge(
        self,
        connection: Connection,
        table: TargetTable,
        words: dict[str, str],
        stage: str,
        last: str,
    ) -> None:
        """Bring the newest row of each key into the table; `last` orders what is else equal."""
        columns = _by_name(table)
        key = ", ".join(words[name] for name in self._options.key)
        order = f"dead DESC, {last}"
        if self._options.version is not None:
            version = columns[self._options.version]
            order = f"{self._database.order_down(words[version.name], version)}, {order}"
        chosen = ", ".join([*words.values(), "dead"])
        winners = (
            f"SELECT {chosen} FROM (SELECT {chosen}, row_number() OVER "
            f"(PARTITION BY {key} ORDER BY {order}) AS place FROM {stage}) AS ranked "
            "WHERE place = 1"
        )
        if self._removes(table):
            place = self._database.create_winners(connection, winners)
            self._remove(connection, table, words, place)
            winners = f"SELECT {chosen} FROM {place} WHERE dead = 0"
        self._insert(connection, table, words, winners)

    def _insert(
        self, connection: Connection, table: TargetTable, words: dict[str, str], winners: str
    ) -> None:
        quote, options = self._database.quote, self._options
        # What the condition looks at comes last, for databases that assign from left to right.
        last = [n for n in (options.tombstone, options.version) if n is not None and n in words]
        names = [*(name for name in words if name not in last), *last]
        # WHERE, so that no parser takes the ON of a conflict for that of a join.
        self._database.run(
            connection,
            f"INSERT INTO {self._database.placed(table.name)} ({', '.join(map(quote, names))}) "
            f"SELECT {', '.join(words[name] for name in names)} FROM ({winners}) AS won "
            "WHERE 1 = 1 "
            + self._database.upsert_tail(table.name, names, options.key, self._newer(table)),
        )

    def _remove(
        self, connection: Connection, table: TargetTable, words: dict[str, str], winners: str
    ) -> None:
        """Delete keys, and remember the version at which each was deleted."""
        quote, delete = self._database.quote, self._database.delete_matching
        target = self._database.placed(table.name)
        pairs = {quote(name): words[name] for name in self._options.key}
        back = {word: name for name, word in pairs.items()}
        if self._options.version is None:
            delete(connection, target, winners, pairs, "w.dead = 1")
            return
        column = _by_name(table)[self._options.version]
        held, new = quote(column.name), words[column.name]
        memory = self._database.placed(deleted_name(table.name))

        def value(expression: str) -> str:
            return self._database.compared(expression, column)

        # What was deleted at the same version or a newer one stays deleted.
        older = f"({value(f't.{new}')} <= {value(f'w.{held}')} OR t.{new} IS NULL)"
        delete(connection, winners, memory, back, older)
        newer = f"({value(f'w.{new}')} >= {value(f't.{held}')} OR t.{held} IS NULL)"
        delete(connection, target, winners, pairs, f"w.dead = 1 AND {newer}")
        # A row that is still there is newer than its tombstone, which then says nothing.
        joined = " AND ".join(f"t.{name} = w.{word}" for name, word in pairs.items())
        names = [*self._options.key, column.name]
        self._database.run(
            connection,
            f"INSERT INTO {memory} ({', '.join(map(quote, names))}) "
            f"SELECT {', '.join(f'w.{words[name]}' for name in names)} FROM {winners} AS w "
            f"WHERE w.dead = 1 AND NOT EXISTS (SELECT 1 FROM {target} AS t WHERE {joined}) "
            + self._database.upsert_tail(deleted_name(table.name), names, self._options.key, None),
        )
        delete(connection, memory, winners, pairs, "w.dead = 0")

    def _newer(self, table: TargetTable) -> Newer | None:
        """When a row may take the place of the one that is there; None: always."""
        if self._options.version is None:
            return None
        columns, quote = _by_name(table), self._database.quote
        column, tomb = columns[self._options.version], self._options.tombstone
        compared = self._database.compared

        def newer(old: Callable[[str], str], new: Callable[[str], str]) -> str:
            was, comes = old(quote(column.name)), new(quote(column.name))
            left, right = compared(was, column), compared(comes, column)
            told = f"{right} > {left} OR ({was} IS NULL AND {comes} IS NOT NULL)"
            if tomb is None or tomb not in columns:
                return told
            same = f"{right} = {left} OR ({was} IS NULL AND {comes} IS NULL)"
            mark = quote(tomb)
            deletes = f"{new(mark)} = TRUE AND ({old(mark)} IS NULL OR {old(mark)} <> TRUE)"
            return f"{told} OR (({same}) AND {deletes})"

        return newer

    def _removes(self, table: TargetTable) -> bool:
        tomb = self._options.tombstone
        return tomb is not None and tomb not in _by_name(table)

    def _remembers(self, table: TargetTable) -> bool:
        return self._removes(table) and self._options.version is not None


def deleted_name(table: str) -> str:
    """The table of ours that remembers the deleted keys of a table."""
    if len(table.encode()) <= _NAME_CHARACTERS_MAX:
        return f"{DELETED_PREFIX}{table}"
    return f"{DELETED_PREFIX}{blake2b(table.encode(), digest_size=16).hexdigest()}"


def _by_name(table: TargetTable) -> dict[str, TargetColumn]:
    return {column.name: column for column in table.columns}
