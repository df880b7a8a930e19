"""A checkpoint whose very first plan was cut off while it was written, and Spark's view of it.

Spark writes offsets/0 as a hidden temporary file and renames it. Killed in between, the file stays.
Since 4.1 Spark refuses to begin in a checkpoint whose offsets/ is not empty
(STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY, MicroBatchExecution), and advises to delete it: the job
would never start again. Nothing was planned, so beginning with batch 0 is right. Whose checkpoint
it is was settled by the guards, and no file of Spark's is removed for it.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from holdfast.adapters.storage.opening import open_storage
from holdfast.core.formats.log_name import are_unfinished
from holdfast.core.ports import Storage
from holdfast.errors import UnreachableError

_VERIFY = "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart"
_BEFORE_THE_LOOK = ("Initializing StreamExecution", "Initializing sources")
"""What a query says of itself until it has looked at its checkpoint (StreamExecution)."""

_LOOKS_WITHIN_S = 120.0
_POLL_S = 0.02
_ONE_AT_A_TIME = threading.Lock()
"""Queries of a session share its settings."""


def start_query(
    spark: SparkSession, checkpoint: str, start: Callable[[], StreamingQuery]
) -> StreamingQuery:
    """Start a query, and let it begin where only an unfinished first plan lies."""
    with _ONE_AT_A_TIME:
        if not only_an_unfinished_plan(checkpoint):
            return start()
        before = spark.conf.get(_VERIFY, None)
        spark.conf.set(_VERIFY, "false")
        try:
            query = start()
            _wait_until_it_has_looked(query)
            return query
        finally:
            if before is None:
                spark.conf.unset(_VERIFY)
            else:
                spark.conf.set(_VERIFY, before)


def _wait_until_it_has_looked(query: StreamingQuery) -> None:
    """The setting is read by the query's own thread, some time after its start has returned."""
    java: Any = query._jsq
    limit = time.monotonic() + _LOOKS_WITHIN_S
    while str(java.status().message()) in _BEFORE_THE_LOOK and time.monotonic() < limit:
        time.sleep(_POLL_S)


def only_an_unfinished_plan(checkpoint: str) -> bool:
    """Whether offsets/ holds leftovers of writing alone, and commits/ and state/ nothing at all."""
    try:
        storage = open_storage(checkpoint)
    except UnreachableError as error:
        if error.why == "missing":
            return False
        raise
    plans = _names(storage, "offsets")
    if not plans or not are_unfinished(plans):
        return False
    return not _names(storage, "commits") and not _names(storage, "state")


def _names(storage: Storage, folder: str) -> tuple[str, ...]:
    try:
        entries = storage.at(folder).entries()
    except UnreachableError as error:
        if error.why == "missing":
            return ()
        raise
    return (*entries.folders, *entries.files)
