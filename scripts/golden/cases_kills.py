"""Checkpoints of queries that were killed with SIGKILL at a chosen moment.

Each runs in a process group of its own. Everything the expectation needs is written down, and
flushed to disk, by the process itself before it dies.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from typing import Any

from cases_sinks import into_folder
from cases_state import FORMAT_2, ROCKSDB, windows
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from registry import SOME, case
from stage import Stage, reported

LAST_BATCH = 2
GATE_NOTE = "stopped by the kernel (seccomp) right before the rename to {}, and killed there"


def tell(stage: Stage, batch_id: int) -> None:
    """Write down what the query has reported so far, and which batch it is in."""
    query = stage.spark.streams.active[0]
    stage.progress = reported(query)
    stage.query_id, stage.run_ids = str(query.id), [str(query.runId)]
    stage.in_flight = batch_id
    stage.save()


def end_group() -> None:
    """The driver, its JVM and all that belongs to them, at once."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


def for_each(stage: Stage, frame: DataFrame, action: Any, mode: str = "append") -> None:
    writer = stage.writer(frame, sink="", mode=mode).foreachBatch(action)
    stage.finish(writer.trigger(availableNow=True))


@case("killed_in_sink", process="kill")
def killed_in_sink(stage: Stage) -> None:
    """Killed inside foreachBatch before it has done anything."""
    stage.note = "SIGKILL by the foreachBatch function on entry"

    def action(frame: DataFrame, batch_id: int) -> None:
        if batch_id == LAST_BATCH:
            tell(stage, batch_id)
            end_group()
        frame.collect()

    stage.put_files(3)
    for_each(stage, stage.files(), action)


def killed_after_state(stage: Stage) -> None:
    """Killed inside foreachBatch after the plan has run: state N+1 is there, commits/N is not."""
    stage.note = "SIGKILL by the foreachBatch function after it had computed the whole batch"

    def action(frame: DataFrame, batch_id: int) -> None:
        frame.collect()
        if batch_id == LAST_BATCH:
            tell(stage, batch_id)
            end_group()

    stage.put_files(3)
    for_each(stage, windows(stage), action, mode="update")


case("killed_stateful", process="kill")(killed_after_state)
case("killed_stateful_rocksdb", process="kill", conf=ROCKSDB)(killed_after_state)
case(
    "killed_stateful_format2",
    process="kill",
    since=(4, 0),
    conf={**ROCKSDB, **FORMAT_2},
)(killed_after_state)


@case("killed_after_offsets", process="kill")
def killed_after_offsets(stage: Stage) -> None:
    """Killed by the first row of the batch: its offsets are planned, its sink saw nothing."""
    stage.put_files(2)
    stage.drain(stage.files())
    stage.note = "SIGKILL by a Python function in the first task of the batch"
    stage.save()
    stage.put_files(1)
    stage.drain(stage.files().withColumn("id", deadly(stage)("id")))


def deadly(stage: Stage) -> Any:
    """A function that reports its batch and then kills the driver's process group."""
    group, facts = os.getpgrp(), str(stage.place.facts)

    def kill(number: int) -> int:
        with open(facts) as stream:
            told = json.load(stream)
        # The key is private to Spark but stable: MicroBatchExecution.BATCH_ID_KEY.
        told["in_flight"] = int(TaskContext.get().getLocalProperty("streaming.sql.batchId"))
        with open(facts, "w") as stream:
            json.dump(told, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.killpg(group, signal.SIGKILL)
        time.sleep(60)
        return number

    return F.udf(kill, "long")


def keep_telling(stage: Stage) -> None:
    """Write down the query's progress over and over, for a kill that comes from outside."""

    def watch() -> None:
        while True:
            time.sleep(0.1)
            for query in stage.spark.streams.active:
                stage.progress = reported(query)
                stage.query_id, stage.run_ids = str(query.id), [str(query.runId)]
                if stage.progress:
                    stage.save()

    threading.Thread(target=watch, daemon=True).start()


@case("killed_before_commit", process="gate", kill_before="checkpoint/commits/2")
def killed_before_commit(stage: Stage) -> None:
    """After the sink call has returned; the temporary file of commits/2 stays behind."""
    stage.note = GATE_NOTE.format("commits/2")

    def action(frame: DataFrame, batch_id: int) -> None:
        frame.collect()
        if batch_id == LAST_BATCH:
            tell(stage, batch_id)

    stage.put_files(3)
    for_each(stage, stage.files(), action)


@case(
    "killed_file_sink_before_commit", process="gate", kill_before="checkpoint/commits/2", only=SOME
)
def killed_file_sink_before_commit(stage: Stage) -> None:
    """The file sink's manifest has batch 2, commits/ has not: a restart must skip the write."""
    stage.note = GATE_NOTE.format("commits/2")
    stage.in_flight = LAST_BATCH
    stage.put_files(3)
    keep_telling(stage)
    into_folder(stage, stage.files().coalesce(1), "json")


@case("killed_before_offsets", process="gate", kill_before="checkpoint/offsets/2")
def killed_before_offsets(stage: Stage) -> None:
    """The file source has logged its third file, the batch that would read it is not planned."""
    stage.note = GATE_NOTE.format("offsets/2") + "; batch 2 was being planned, none was running"
    stage.put_files(3)
    keep_telling(stage)
    stage.drain(stage.files())
