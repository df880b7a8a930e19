"""The options of a Delta sink with a ledger, checked at the door."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, get_args

from holdfast.adapters.sinks.option_values import (
    column_names,
    refuse_unknown,
    require_text,
    true_or_false,
    wrong,
)

Mode = Literal["append", "upsert"]

_KIND = "delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaSinkOptions:
    """Where and how a Delta sink writes. Raises UsageError where that cannot be right."""

    path: str
    """Folder of the table, a path or a URL."""
    mode: Mode = "upsert"
    key: tuple[str, ...] = ()
    """Columns that tell rows apart; NULL is a value like any other."""
    version: str | None = None
    """Column that says which of two rows with one key is newer.

    An older version never overwrites a newer one. Of the same version the row that is there
    stays. NULL is older than every version. Without a version the later batch wins.
    """
    tombstone: str | None = None
    """Boolean column, not stored: where it is true, the row of that key is deleted; upsert only.

    A version that comes after the deletion counts as new, also an older one: what is deleted has
    left no version behind.
    """
    partition_by: tuple[str, ...] = ()
    """Columns that become folders, where the table is created."""
    create: bool = False
    """Create the table where it does not exist."""
    merge_schema: bool = False
    """Add columns that the table does not have; those that a batch does not have stay null."""
    ledger: bool = True
    """Rows and mark by one commit; append without it is Delta's own sink."""
    columns: str | None = None
    """DDL such as 'id long, name string' for create; else types come from the first batch."""

    def __post_init__(self) -> None:
        """Check what can be checked without the table."""
        if not self.path.strip():
            raise wrong(_KIND, "path cannot be empty", "name the folder of the table")
        self._check_mode()
        for name, columns in (("key", self.key), ("partition_by", self.partition_by)):
            if len(set(columns)) != len(columns):
                raise wrong(_KIND, f"{name} names a column twice", "name each column once")
            if not all(column.strip() for column in columns):
                raise wrong(_KIND, f"{name} names an empty column", "give it a name")
        for name, given in (("version", self.version), ("tombstone", self.tombstone)):
            if given is not None and not given.strip():
                raise wrong(_KIND, f"{name} cannot be empty", "name a column, or leave it out")
        for name, given in (("version", self.version), ("tombstone", self.tombstone)):
            if given in self.key:
                raise wrong(_KIND, f"{name} {given!r} is part of the key", "use another column")
        if self.tombstone is not None and self.tombstone in (self.version, *self.partition_by):
            raise wrong(_KIND, f"tombstone {self.tombstone!r} is stored", "use another column")
        for name, made in (("columns", self.columns), ("partition_by", self.partition_by)):
            if made and not self.create:
                raise wrong(_KIND, f"{name} is for creating the table", "add create: true")

    def _check_mode(self) -> None:
        if self.mode not in get_args(Mode):
            raise wrong(_KIND, f"mode cannot be {self.mode!r}", "use append or upsert")
        if self.mode == "upsert" and not self.key:
            raise wrong(_KIND, "mode upsert needs a key", "name the key columns: key: [id]")
        only_upsert = {"key": self.key, "version": self.version, "tombstone": self.tombstone}
        for name, given in only_upsert.items():
            if self.mode == "append" and given:
                remedy = f"remove {name}, or use mode: upsert"
                raise wrong(_KIND, f"mode append takes no {name}", remedy)
        if not self.ledger:
            raise wrong(_KIND, "mode upsert has a ledger always", "leave ledger out")

    @classmethod
    def parse(cls, options: Mapping[str, Any]) -> Self:
        """From the options of a declaration; raises UsageError that names the option."""
        refuse_unknown(_KIND, options, [field.name for field in fields(cls)])
        values = {name: value for name, value in options.items() if value is not None}
        require_text(_KIND, values, ("path", "mode", "version", "columns", "tombstone"))
        if "path" not in values:
            raise wrong(_KIND, "option 'path' is missing", "add path: …")
        for name in ("key", "partition_by"):
            if name in values:
                values[name] = column_names(_KIND, name, values[name])
        for name in ("create", "merge_schema", "ledger"):
            if name in values:
                values[name] = true_or_false(_KIND, name, values[name])
        return cls(**values)
