"""Columns given as DDL, in Spark's words: 'id long, `full name` string, price decimal(10, 2)'."""

import re

from holdfast.adapters.sinks.sql_types import ColumnType, Kind
from holdfast.errors import UsageError

_KINDS = {
    Kind.INTEGER: ("byte", "tinyint", "short", "smallint", "int", "integer", "long", "bigint"),
    Kind.REAL: ("float", "real", "double"),
    Kind.BOOLEAN: ("boolean",),
    Kind.TEXT: ("string", "varchar", "char", "character"),
    Kind.BINARY: ("binary",),
    Kind.DECIMAL: ("decimal", "dec", "numeric"),
    Kind.DATE: ("date",),
    Kind.TIMESTAMP: ("timestamp", "timestamp_ntz", "timestamp_ltz"),
    Kind.TIME: ("time",),
    Kind.JSON: ("array", "map", "struct"),
}
_BY_NAME = {name: kind for kind, names in _KINDS.items() for name in names}
_COLUMN = re.compile(
    r"\s*(?:`((?:[^`]|``)+)`|(\w+))\s*(?:\s|:)\s*(\w+)\s*([(<].*[)>])?\s*(?:not\s+null\s*)?",
    re.IGNORECASE | re.DOTALL,
)
_TYPE = re.compile(r"\s*(\w+)\s*((?:[(<].*)?)", re.DOTALL)
_TOKEN = re.compile(r"`(?:[^`]|``)*`|.", re.DOTALL)


def parse_columns(text: str) -> dict[str, ColumnType]:
    """The type of each column, in order; raises UsageError that quotes what is not understood."""
    columns: dict[str, ColumnType] = {}
    for part in _split(text):
        match = _COLUMN.fullmatch(part)
        if match is None:
            raise _wrong(f"{part.strip()!r} is no column", "write each as: name type")
        quoted, plain, type_name, arguments = match.groups()
        name = quoted.replace("``", "`") if quoted else plain
        kind = _BY_NAME.get(type_name.lower())
        if kind is None:
            raise _wrong(
                f"column {name!r} has the unknown type {type_name!r}",
                f"use one of {', '.join(_BY_NAME)}",
            )
        if name in columns:
            raise _wrong(f"column {name!r} is given twice", "name each column once")
        columns[name] = ColumnType(
            kind=kind, name=type_name.lower(), arguments="".join((arguments or "").split())
        )
    return columns


def parse_type(text: str) -> ColumnType | None:
    """A type as Spark prints it, such as `array<int>`; None where no column can be made of it."""
    match = _TYPE.match(text)
    kind = _BY_NAME.get(match[1].lower()) if match else None
    if match is None or kind is None:
        return None
    return ColumnType(kind=kind, name=match[1].lower(), arguments="".join(match[2].split()))


def _split(text: str) -> list[str]:
    """Cut at the commas that stand outside of names and brackets."""
    parts = [""]
    depth = 0
    for token in _TOKEN.findall(text):
        depth += (token in ("(", "<")) - (token in (")", ">"))
        if token == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _wrong(message: str, next_action: str) -> UsageError:
    return UsageError(f"sql sink: columns: {message}", subject="sink", next_action=next_action)
