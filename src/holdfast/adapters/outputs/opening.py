"""Find the reader of an output: `kind:where`, as `--read` and `--answer` spell it."""

import importlib
import re
from pathlib import Path
from typing import Any

from holdfast.adapters.outputs.function import open_function
from holdfast.core.secret_text import without_password
from holdfast.errors import NotInstalledError, UsageError

KINDS = {
    "sqlite": "sqlite:FILE?table=NAME",
    "parquet": "parquet:FOLDER, every file, as readers other than Spark see it",
    "spark-parquet": "spark-parquet:FOLDER, what Spark's log of the folder lists",
    "lines": "lines:FOLDER, every line of JSON, CSV or text files",
    "spark-lines": "spark-lines:FOLDER, the same by Spark's log",
    "files": "files:FOLDER, what the ledger of the sink `files` has published",
    "delta": "delta:FOLDER",
    "postgres": "postgres:postgresql://USER:PASSWORD@HOST:PORT/DATABASE?table=SCHEMA.NAME",
    "mysql": "mysql:mysql://USER:PASSWORD@HOST:PORT/DATABASE?table=NAME",
    "kafka": "kafka:HOST:PORT/TOPIC",
    "function": "MODULE:FUNCTION, your own, which returns the rows",
}
_ELSEWHERE = ("postgres", "mysql", "kafka", "function")
"""Kinds that do not lie in a folder of this machine, as far as anybody knows."""
_TABLE = "?table="
_FUNCTION = re.compile(r"[^\W\d][\w.]*:[^\W\d]\w*")
_NEEDS = {
    "pyarrow": "pip install 'holdfast[spark]'",
    "deltalake": "pip install 'holdfast[delta-rs]'",
    "sqlalchemy": "pip install 'holdfast[postgres]'",
    "pymysql": "pip install 'holdfast[mysql]'",
    "psycopg": "pip install 'holdfast[postgres]'",
    "confluent_kafka": "pip install 'holdfast[kafka]'",
}


def open_output(spec: str, work: Path | None = None) -> Any:
    """The reader that a spec names; an Output of audit.room. Nothing is read yet.

    A function that takes an argument is called with the work folder.
    """
    kind, where = _split(spec)
    match kind:
        case "function":
            return open_function(spec, work)
        case "postgres":
            return _load("holdfast.adapters.outputs.postgres").open_postgres(where)
        case "mysql":
            return _load("holdfast.adapters.outputs.mysql").open_mysql(where)
        case "kafka":
            servers, _, topic = where.rpartition("/")
            return _load("holdfast.adapters.outputs.kafka").KafkaOutput(servers, topic)
        case "sqlite":
            path, _, table = where.partition(_TABLE)
            reader = _load("holdfast.adapters.outputs.sqlite")
            return reader.SqliteOutput(Path(path).absolute(), table)
        case "delta":
            return _load("holdfast.adapters.outputs.delta").DeltaOutput(Path(where).absolute())
        case "files":
            ledger = _load("holdfast.adapters.outputs.files_ledger")
            return ledger.FilesLedgerOutput(Path(where).absolute())
    by_log, form = kind.startswith("spark-"), kind.removeprefix("spark-")
    files = _load("holdfast.adapters.outputs.files")
    return files.FilesOutput(Path(where).absolute(), parquet=form == "parquet", by_log=by_log)


def root_of(spec: str) -> Path | None:
    """Where an output lies on this machine, None where it lies elsewhere."""
    kind, where = _split(spec)
    return None if kind in _ELSEWHERE else Path(where.partition(_TABLE)[0]).absolute()


def _split(spec: str) -> tuple[str, str]:
    kind, _, where = spec.partition(":")
    if kind == "function" or kind not in KINDS:
        if _FUNCTION.fullmatch(spec) is None:
            forms = "; ".join(KINDS.values())
            raise _wrong(spec, "this is no output that can be read", f"use one of: {forms}")
        return "function", where
    if not where:
        raise _wrong(spec, "it does not say where", KINDS[kind])
    if kind == "sqlite" and not all(where.partition(_TABLE)[::2]):
        raise _wrong(spec, "the table is missing", KINDS[kind])
    if kind == "kafka" and not re.fullmatch(r"[^/\s]+:\d+/[\w.-]+", where):
        raise _wrong(spec, "this names no topic of a broker", KINDS[kind])
    if kind not in _ELSEWHERE and "://" in where:
        raise _wrong(spec, "only folders and files of this machine are read so", KINDS[kind])
    return kind, where


def _wrong(spec: str, message: str, form: str) -> UsageError:
    return UsageError(message, subject=without_password(spec), next_action=form)


def _load(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        line = _NEEDS.get((error.name or "").partition(".")[0], f"pip install {error.name}")
        raise NotInstalledError(
            f"reading this output needs {error.name}", next_action=line
        ) from error
