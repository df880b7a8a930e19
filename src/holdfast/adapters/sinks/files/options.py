"""The options of the files sink, checked at the door."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, get_args

from holdfast.adapters.sinks.option_values import (
    column_names,
    require_text,
    true_or_false,
    wrong,
)

Format = Literal["parquet", "csv", "json"]

_KIND = "files"
_COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_REFUSED = {
    "mode": "it appends, each batch once: leave mode out",
    "partitionby": "write partition_by: […]",
    "partitionoverwritemode": "nothing is ever overwritten: leave it out",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSinkOptions:
    """Where and how a files sink writes. Raises UsageError where that cannot be right."""

    path: str
    """Folder of the table, a path or a URL of S3; nothing but data lies in it."""
    format: Format = "parquet"
    partition_by: tuple[str, ...] = ()
    """Columns that become folders below the folder of a batch."""
    batch_column: str = "batch"
    """What the folder of a batch is called: `batch=7`. Readers take it for a column."""
    shared: bool = False
    """Let several queries write here, each below `query=<id>`; else the first one owns it."""
    ledger: str | None = None
    """Folder of ledger and staging, `_<name>.ledger` beside the table unless told."""
    options: Mapping[str, str] = field(default_factory=dict)
    """For Spark's own writer, by Spark's own names."""

    def __post_init__(self) -> None:
        """Check what can be checked without the table."""
        if not self.path.strip():
            raise wrong(_KIND, "path cannot be empty", "name the folder of the table")
        if self.format not in get_args(Format):
            known = ", ".join(get_args(Format))
            raise wrong(_KIND, f"format cannot be {self.format!r}", f"use one of {known}")
        if not _COLUMN.fullmatch(self.batch_column):
            raise wrong(
                _KIND,
                f"batch_column cannot be {self.batch_column!r}",
                "use letters, digits and _, a letter first",
            )
        lower = [name.lower() for name in self.partition_by]
        if len(set(lower)) != len(lower):
            raise wrong(_KIND, "partition_by names a column twice", "name each column once")
        if not all(name.strip() for name in self.partition_by):
            raise wrong(_KIND, "partition_by names an empty column", "give it a name")
        for name in self.own_columns:
            if name.lower() in lower:
                raise wrong(_KIND, f"{name!r} is a folder of ours", "use another batch_column")
        if self.ledger is not None and not self.ledger.strip():
            raise wrong(_KIND, "ledger cannot be empty", "name a folder, or leave it out")

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Columns that come from the names of our folders."""
        return ("query", self.batch_column) if self.shared else (self.batch_column,)

    @classmethod
    def parse(cls, options: Mapping[str, Any]) -> Self:
        """From the options of a declaration; what is not ours goes to Spark's writer."""
        known = {each.name for each in fields(cls)} - {"options"}
        values = {n: v for n, v in options.items() if n in known and v is not None}
        require_text(_KIND, values, ("path", "format", "batch_column", "ledger"))
        if "path" not in values:
            raise wrong(_KIND, "option 'path' is missing", "add path: …")
        if "partition_by" in values:
            values["partition_by"] = column_names(_KIND, "partition_by", values["partition_by"])
        if "shared" in values:
            values["shared"] = true_or_false(_KIND, "shared", values["shared"])
        rest = {n: v for n, v in options.items() if n not in known and n != "schema"}
        for name in rest:
            advice = _REFUSED.get(str(name).lower())
            if advice is not None:
                raise wrong(_KIND, f"option {name!r} is not for this sink", advice)
        return cls(**values, options={str(n): _spark_text(v) for n, v in rest.items()})


def misfits(options: FilesSinkOptions, columns: Sequence[str]) -> list[str]:
    """All that is wrong with the columns of a batch."""
    came = {name.lower() for name in columns}
    wrong = [
        f"it has a column {name!r}, as the folders are called"
        for name in options.own_columns
        if name.lower() in came
    ]
    wrong += [
        f"it has no column {name!r}, which partition_by names"
        for name in options.partition_by
        if name not in columns
    ]
    if options.partition_by and len(options.partition_by) == len(columns):
        wrong.append("partition_by names every column, and nothing is left for the files")
    return wrong


def _spark_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
