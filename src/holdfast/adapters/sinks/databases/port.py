"""What the sql sink needs of a database; everything that differs between dialects is behind it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy import Connection

from holdfast.adapters.sinks.sql_types import SORTABLE, ColumnType, Encoder, Kind, Stored
from holdfast.core.running.batch import OnExecutors
from holdfast.errors import HoldfastError

Newer = Callable[[Callable[[str], str], Callable[[str], str]], str]
"""The condition on which a row is replaced: made from how the old and the new value of a column,
quoted, are written."""

SizedRows = Iterable[tuple[tuple[Stored, ...], int]]
"""Rows as they are stored, each with its size in bytes, give or take."""


Check = Callable[[str, Any, int], Any]
"""Takes a column of an Arrow batch by its name, and the number of rows before it. Gives it as it
can be stored; raises where a value of it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetColumn:
    """A column of a table as the database declares it."""

    name: str
    declared: str
    holds: frozenset[Kind]
    """What it keeps unchanged."""
    filled: bool
    """The database fills it itself where a row does not give it."""
    generated: bool
    """The database always fills it, and takes no value."""
    nullable: bool = True
    encoders: Mapping[Kind, Encoder] = field(default_factory=dict)
    """How it takes a kind, where that is not the way of sql_types."""
    sortable: frozenset[Kind] = SORTABLE
    """Kinds whose stored form sorts here as the value does."""
    zoned: bool | None = None
    """True: takes moments, with a zone; False: local times; None: both, or neither."""
    sort_text: bool = False
    """Sorts by a collation, unless told to go by characters."""
    comes_back: bool = True
    """Whether a value that is read is stored again as the very same."""
    alike: str = ""
    """Why two different values may be one key here, '' where they are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTable:
    """A table as the database declares it."""

    name: str
    is_view: bool
    columns: tuple[TargetColumn, ...]
    unique: tuple[frozenset[str], ...]
    """Sets of columns that tell rows apart, by primary key or unique index."""
    unfit: str = ""
    """Why no transaction holds its rows, '' where one does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Who writes: how the database can tell its transactions from those of others."""

    query_id: str
    sink: str
    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """Rows of a batch in tables of ours, of tasks that have won."""

    tables: tuple[str, ...]
    """As they stand in SQL; none where there are no rows."""
    columns: tuple[str, ...]
    """Plain words, one for each column of the batch, in its order."""
    rows: int
    size: int
    """Their bytes in Arrow."""
    digest: str


class Stages(Protocol):
    """Tables in which executors put the rows of a batch, before one transaction takes them over."""

    modules: tuple[str, ...]
    """What the executors must be able to load."""

    def can_hold(
        self,
        connection: Connection,
        types: Mapping[str, ColumnType | None],
        table: TargetTable | None,
    ) -> bool:
        """Whether values of these types come into the table unchanged and unchecked.

        None: it will be created with these types.
        """
        ...

    def put(
        self,
        writer: Writer,
        batch_id: int,
        types: Mapping[str, ColumnType | None],
        required: Iterable[str],
        on_executors: OnExecutors,
    ) -> Staged:
        """Let the executors put the rows in; raises RefusedError where one cannot be stored.

        `required` are columns that take no null.
        """
        ...

    def can_stream(
        self,
        connection: Connection,
        types: Mapping[str, ColumnType | None],
        table: TargetTable,
        constant: tuple[str, int] | None,
    ) -> bool:
        """Whether `stream` takes such values, straight into this table too."""
        ...

    def stream(
        self,
        connection: Connection,
        table: TargetTable | None,
        types: Mapping[str, ColumnType | None],
        batches: Iterator[Any],
        check: Check,
        constant: tuple[str, int] | None,
    ) -> Staged:
        """Put Arrow batches into a table in this transaction, with the digest of a staged batch.

        None: into one that only this connection sees, and that goes with the transaction.
        `constant` is a column of the table that is no column of the batches, and its value.
        """
        ...

    def count(self, connection: Connection, staged: Staged) -> int:
        """Rows that are there now."""
        ...

    def append(
        self, connection: Connection, table: str, columns: Mapping[str, str], staged: Staged
    ) -> None:
        """Insert what was staged into a table: each column with what is selected for it."""
        ...

    def merge(
        self,
        connection: Connection,
        table: str,
        source: str,
        words: Mapping[str, str],
        key: Sequence[str],
        newer: Newer | None,
    ) -> bool:
        """Upsert rows of a source, in SQL, of which no two have one key, in the quickest way.

        False where they do, or where it cannot be done in that way: then nothing was done.
        `words` names the columns of the table and of the source.
        """
        ...

    def drop(self, writer: Writer, *, own: bool) -> None:
        """Remove tables of lower epochs of this writer, whose tasks write for nobody.

        `own`: and those of this epoch. What cannot be removed now is left for the next time.
        """
        ...

    def digest(
        self, connection: Connection, table: str, columns: Sequence[str], where: str
    ) -> str | None:
        """The digest of rows of a table, as `Staged` has it; None where this server has none."""
        ...


class Database(Protocol):
    """One SQL database. Every transaction has its own connection, so threads and forks are safe.

    What a driver raises becomes an error of ours, without the password, the statement and the
    values. UnreachableError is for what can pass; nothing of the transaction is there then, unless
    it came from `commit`, after which only the ledger knows.
    """

    @property
    def location(self) -> str:
        """The URL, without credentials."""
        ...

    @property
    def space(self) -> str | None:
        """The schema of table and ledger, None for the one that a connection begins in."""
        ...

    @property
    def retries(self) -> int:
        """How often a transaction is tried again after an error that can pass."""
        ...

    @property
    def is_server(self) -> bool:
        """Whether others reach it over a network, and it outlives this machine."""
        ...

    @property
    def any_unique(self) -> bool:
        """Whether an upsert replaces what is in its way by any key, not by the one named."""
        ...

    @property
    def stages(self) -> Stages | None:
        """Where executors can put rows, None where they cannot."""
        ...

    def exists(self) -> bool:
        """Whether there is a database to connect to, where connecting would create one."""
        ...

    def writing(self, writer: Writer | None = None) -> AbstractContextManager[Connection]:
        """A transaction that may write; undone unless committed. Locks are waited for, bounded."""
        ...

    def holding(self, connection: Connection, writer: Writer) -> None:
        """Let `take_over` know whose transaction this is; for one that writes rows."""
        ...

    def commit(self, connection: Connection) -> None:
        """Make the transaction durable."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """A consistent view in which nothing can be written."""
        ...

    def hurry(self, connection: Connection, seconds: int) -> None:
        """Let statements that read fail after so long, where the server can."""
        ...

    def opening(self, connection: Connection, table: str) -> None:
        """Let nobody else prepare this table until the connection is closed."""
        ...

    def take_over(self, writer: Writer) -> None:
        """End the transaction in which a lower epoch of this writer puts rows, if there is one.

        Only where the ledger does not know an epoch as high as this one.
        """
        ...

    def can_pass(self, error: HoldfastError) -> bool:
        """Whether the same transaction may succeed when it is tried again at once."""
        ...

    def defining(self, connection: Connection) -> AbstractContextManager[Connection]:
        """The connection for a statement that changes tables while this transaction goes on."""
        ...

    def run(self, connection: Connection, statement: str) -> None:
        """Execute a statement that has no values."""
        ...

    def quote(self, name: str) -> str:
        """A name as it stands in SQL, whatever characters it has."""
        ...

    def placed(self, name: str) -> str:
        """The name of a table of ours or of the target, with its schema, as it stands in SQL."""
        ...

    def refuse_name(self, what: str, name: str) -> None:
        """Raises UsageError for a name that this database would cut or cannot hold."""
        ...

    def folded(self, name: str) -> str:
        """Names of columns with one folded form are one column here."""
        ...

    def declare(self, column: ColumnType | None, *, is_key: bool = False) -> str:
        """The type of a column that keeps these values; None: not known."""
        ...

    def table_options(self) -> str:
        """What follows the columns of CREATE TABLE."""
        ...

    def table_names(self, connection: Connection) -> Sequence[str]:
        """Tables and views."""
        ...

    def table_state(self, connection: Connection, name: str) -> str | None:
        """What is another one once the table is declared in another way; None: not known.

        For a look that costs less than `table`, which gives the same while this is the same.
        """
        ...

    def table(self, connection: Connection, name: str) -> TargetTable:
        """The table of exactly this name, which must be there."""
        ...

    def create_like(self, connection: Connection, name: str, model: str) -> None:
        """Create a table with columns, defaults and indexes of another, without its rows."""
        ...

    def reader(self, table: str) -> str:
        """What `audit --read` calls a table; a secret, where the URL has a password."""
        ...

    def put(
        self, connection: Connection, table: str, columns: Sequence[str], rows: SizedRows
    ) -> None:
        """Put rows in; table and columns as they stand in SQL."""
        ...

    def create_stage(self, connection: Connection, columns: Mapping[str, TargetColumn]) -> str:
        """A table that only this connection sees, and that goes with it; its name in SQL.

        Its columns, plain words, keep what those of the target keep; one more, `own`, keeps
        bytes, and one, `dead`, keeps 0 or 1.
        """
        ...

    def create_winners(self, connection: Connection, select: str) -> str:
        """Another such table, made of what this gives; its name in SQL."""
        ...

    def order_down(self, expression: str, column: TargetColumn) -> str:
        """Newest first, NULL last, whatever collation the column has."""
        ...

    def compared(self, expression: str, column: TargetColumn) -> str:
        """An expression of a column so that < and > are those of its values."""
        ...

    def upsert_tail(
        self, table: str, columns: Sequence[str], key: Sequence[str], newer: Newer | None
    ) -> str:
        """What follows INSERT … SELECT so that a row with the same key is replaced.

        Columns that `newer` looks at come last in `columns`, the version after the tombstone.
        """
        ...

    def delete_matching(
        self, connection: Connection, table: str, other: str, pairs: Mapping[str, str], where: str
    ) -> None:
        """Delete rows `t` of a table that have a row `w` in another, key for key, and where.

        All as it stands in SQL; `pairs` names each key column in the table and in the other.
        """
        ...
