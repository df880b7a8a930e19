"""A started streaming query, watched from our own threads and never from Spark's.

Progress is asked for, not listened to: a listener in Python would run for every batch on Spark's
listener bus, and turn the whole event into Python objects by a hundred calls. Spark keeps the last
100 progresses, so none is missed as long as somebody asks now and then.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from holdfast.adapters.spark.ledger_writer import LEASED
from holdfast.adapters.spark.lost import engine_alive
from holdfast.adapters.spark.plan_facts import plan_facts
from holdfast.core.recording.progress import is_idle
from holdfast.core.running.failure import Failure, of_error, of_text
from holdfast.core.running.ports import PlanFacts

_CAUSES_MAX = 20
"""Nested causes that are read of one exception."""


class SparkQuery:
    """Implements core.running.ports.Query."""

    def __init__(self, query: StreamingQuery, frame: DataFrame) -> None:
        """`frame` is what the query writes."""
        self._query = query
        self._java: Any = query._jsq
        self._frame = frame
        self._id = str(query.id)
        self._seen = -1
        self._last_text = ""

    @property
    def id(self) -> str:
        """The id in the checkpoint's metadata."""
        return self._id

    def wait(self, seconds: float) -> bool:
        """Wait for its end; an end by failure is an end too."""
        with engine_alive():
            if self._java.exception().isDefined():
                return True
            try:
                return bool(self._java.awaitTermination(int(seconds * 1000)))
            except Exception:
                if self._java.exception().isDefined():
                    return True
                raise

    def is_busy(self) -> bool:
        """Whether a batch is running right now."""
        with engine_alive():
            return bool(self._java.status().isTriggerActive())

    def stop(self) -> None:
        """End it; the batch that runs is given up, which harms nothing."""
        with engine_alive():
            self._query.stop()

    def failure(self) -> Failure | None:
        """Why it ended, None where it ended well."""
        with engine_alive():
            found = self._java.exception()
            if not found.isDefined():
                return None
            own = LEASED.error(self._id)
            return of_error(own) if own is not None else of_text(_whole_text(found.get()))

    def fresh(self) -> Sequence[Mapping[str, Any]]:
        """Progress since the last call."""
        with engine_alive():
            last = self._java.lastProgress()
            text = "" if last is None else str(last.json())
            if text == self._last_text:
                return ()
            self._last_text = text
            newest = json.loads(text)
            if int(newest["batchId"]) <= self._seen + 1:
                fresh = [newest]
            else:
                fresh = self._since_last_look()
            # An idle event bears the id of the batch to come, which has not been seen by that.
            self._seen = int(newest["batchId"]) - is_idle(newest)
            return fresh

    def _since_last_look(self) -> list[Mapping[str, Any]]:
        """What Spark's list of the last hundred has of batches not seen yet.

        From its end backwards: to turn an event into text takes Java milliseconds, of which two
        cores have few to spare.
        """
        recent = self._java.recentProgress()
        fresh: list[Mapping[str, Any]] = []
        for place in range(len(recent) - 1, -1, -1):
            item = recent[place]
            if int(item.batchId()) <= self._seen:
                break
            fresh.append(json.loads(str(item.json())))
        return fresh[::-1]

    def facts(self, settings: Sequence[str]) -> PlanFacts:
        """What its plan is made of."""
        with engine_alive():
            return plan_facts(self._frame, settings)


def _whole_text(error: Any) -> str:
    """The messages of an exception and of its causes, without their stacks."""
    lines = [str(error.getMessage() or error.toString())]
    cause = error.getCause()
    for _ in range(_CAUSES_MAX):
        if cause is None:
            break
        lines.append(f"Caused by: {cause.toString()}")
        cause = cause.getCause()
    return "\n".join(lines)
