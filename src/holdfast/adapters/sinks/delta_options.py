"""The options of a Delta sink that upserts, checked at the door."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from holdfast.adapters.sinks.option_values import (
    column_names,
    refuse_unknown,
    require_text,
    true_or_false,
    wrong,
)

_KIND = "delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaSinkOptions:
    """Where and how a Delta sink upserts. Raises UsageError where that cannot be right."""

    path: str
    """Folder of the table, a path or a URL."""
    mode: Literal["upsert"] = "upsert"
    key: tuple[str, ...] = ()
    """Columns that tell rows apart; NULL is a value like any other."""
    version: str | None = None
    """Column that says which of two rows with one key is newer.

    An older version never overwrites a newer one. Of the same version the row that is there
    stays. NULL is older than every version. Without a version the later batch wins.
    """
    partition_by: tuple[str, ...] = ()
    """Columns that become folders, where the table is created."""
    create: bool = False
    """Create the table where it does not exist."""
    columns: str | None = None
    """DDL such as 'id long, name string' for create; else types come from the first batch."""

    def __post_init__(self) -> None:
        """Check what can be checked without the table."""
        if not self.path.strip():
            raise wrong(_KIND, "path cannot be empty", "name the folder of the table")
        if self.mode != "upsert":
            raise wrong(_KIND, f"mode cannot be {self.mode!r}", "use append or upsert")
        if not self.key:
            raise wrong(_KIND, "mode upsert needs a key", "name the key columns: key: [id]")
        for name, columns in (("key", self.key), ("partition_by", self.partition_by)):
            if len(set(columns)) != len(columns):
                raise wrong(_KIND, f"{name} names a column twice", "name each column once")
            if not all(column.strip() for column in columns):
                raise wrong(_KIND, f"{name} names an empty column", "give it a name")
        if self.version is not None and not self.version.strip():
            raise wrong(_KIND, "version cannot be empty", "name a column, or leave it out")
        if self.version in self.key:
            raise wrong(_KIND, f"version {self.version!r} is part of the key", "use another column")
        for name, given in (("columns", self.columns), ("partition_by", self.partition_by)):
            if given and not self.create:
                raise wrong(_KIND, f"{name} is for creating the table", "add create: true")

    @classmethod
    def parse(cls, options: Mapping[str, Any]) -> Self:
        """From the options of a declaration; raises UsageError that names the option."""
        refuse_unknown(_KIND, options, [field.name for field in fields(cls)])
        values = {name: value for name, value in options.items() if value is not None}
        require_text(_KIND, values, ("path", "mode", "version", "columns"))
        if "path" not in values:
            raise wrong(_KIND, "option 'path' is missing", "add path: …")
        for name in ("key", "partition_by"):
            if name in values:
                values[name] = column_names(_KIND, name, values[name])
        if "create" in values:
            values["create"] = true_or_false(_KIND, "create", values["create"])
        return cls(**values)
