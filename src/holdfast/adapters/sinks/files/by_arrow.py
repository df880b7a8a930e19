"""The rows of a batch as files without Spark, for sinks that are tested or used without one."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pyarrow
import pyarrow.csv
import pyarrow.parquet
from fsspec import AbstractFileSystem

from holdfast.adapters.sinks.files.options import FilesSinkOptions

_NULL = "__HIVE_DEFAULT_PARTITION__"
_ROWS_AT_ONCE = 100_000
Row = Sequence[Any]


def write_rows(
    rows: Iterator[Row],
    columns: Sequence[str],
    fs: AbstractFileSystem,
    location: str,
    options: FilesSinkOptions,
) -> int:
    """Write rows into a folder of a file system; how many there were.

    One file for each partition and each 100,000 rows. Types come from the values.
    """
    places = [columns.index(name) for name in options.partition_by]
    kept = [index for index in range(len(columns)) if index not in places]
    names = [columns[index] for index in kept]
    count, number = 0, 0
    pending: dict[str, list[Row]] = {}
    with ExitStack() as closing:
        closing.callback(pending.clear)
        for row in rows:
            folder = "/".join(f"{quote(columns[i])}={_folder(row[i])}" for i in places)
            pending.setdefault(folder, []).append([row[i] for i in kept])
            count += 1
            if len(pending[folder]) == _ROWS_AT_ONCE:
                number += 1
                _write(fs, location, folder, number, names, pending.pop(folder), options)
        for folder, chunk in pending.items():
            number += 1
            _write(fs, location, folder, number, names, chunk, options)
    return count


def rows_in(file: Any) -> int:
    """The rows of a Parquet file, by its footer alone."""
    return int(pyarrow.parquet.read_metadata(file).num_rows)


def _write(
    fs: AbstractFileSystem,
    location: str,
    folder: str,
    number: int,
    names: Sequence[str],
    rows: Sequence[Row],
    options: FilesSinkOptions,
) -> None:
    place = f"{location}/{folder}" if folder else location
    fs.makedirs(place, exist_ok=True)
    with fs.open(f"{place}/part-{number:05d}.{options.format}", "wb") as file:
        if options.format == "json":
            for row in rows:
                given = dict(zip(names, row, strict=True))
                text = json.dumps(given, default=_plain, ensure_ascii=False)
                file.write(text.encode() + b"\n")
            return
        arrays = [pyarrow.array(column) for column in zip(*rows, strict=True)]
        table = pyarrow.table(dict(zip(names, arrays, strict=True)))
        if options.format == "parquet":
            pyarrow.parquet.write_table(table, file)
        else:
            header = options.options.get("header", "false").lower() == "true"
            pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(include_header=header))


def _folder(value: Any) -> str:
    return _NULL if value is None or value == "" else quote(str(value), safe=" ")


def _plain(value: Any) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"a value of type {type(value).__name__} has no place in JSON")
