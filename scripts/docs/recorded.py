"""A small project whose jobs have run: what `status` and `history` are shown with.

Two golden checkpoints under the names of jobs, and records made by the functions that write them.
The progress is what Spark said when it wrote the checkpoint.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quotes import GOLDEN

from holdfast.adapters.records.opening import open_records
from holdfast.core.running.lease import (
    Holder,
    beat_name,
    epoch_name,
    released_name,
    write_beat,
    write_holder,
)
from holdfast.core.running.ports import Records
from holdfast.core.running.run import (
    RunRestart,
    RunResult,
    RunStart,
    encode_record,
    end_name,
    restart_name,
    start_name,
)
from holdfast.flows.records.recorder import Recorder

RAW, GOLD = "raw-ingest", "merge-gold"
CASES = {RAW: "4.2.0/kafka", GOLD: "4.2.0/killed_stateful"}
MINUTE_MS = 60_000
DECLARATION = """
checkpoints: ./checkpoints
jobs:
  raw-ingest: {source: orders, sink: raw}
  merge-gold: {source: raw-rows, sink: gold}
  daily-report: {source: raw-rows, sink: report}
profiles:
  embedded:
    sources:
      orders: {format: kafka, options: {kafka.bootstrap.servers: "broker:9092", subscribe: orders}}
      raw-rows: {job: raw-ingest}
    sinks:
      raw: {kind: file, format: parquet, path: ./raw, schema: value string}
      gold: {kind: file, format: parquet, path: ./gold}
      report: {kind: file, format: parquet, path: ./report}
"""
HOLDER = Holder(
    host="worker-3",
    place="the machine of the screens",
    pid=4711,
    pid_started=1,
    user="etl",
    started_ms=0,
    version="0.1.0",
    run_id="1f0c",
)


@dataclass
class MachineOfTheScreens:
    """Where the jobs ran; no process of theirs is left."""

    def me(self) -> Holder:
        return HOLDER

    def is_alive(self, holder: Holder) -> bool:
        return False


def make_project(root: Path) -> None:
    """Write the declaration, and checkpoints with records beside them."""
    (root / "holdfast.yaml").write_text(DECLARATION, encoding="utf-8")
    for job, case in CASES.items():
        shutil.copytree(GOLDEN / case / "checkpoint", root / "checkpoints" / job)


def write_records(root: Path, planned_ms: int) -> None:
    """What two runs of each job left behind, the newest begun shortly before the newest plan."""
    for job, case in CASES.items():
        checkpoint = root / "checkpoints" / job
        records = open_records(str(checkpoint))
        said = json.loads((GOLDEN / case / "expected.json").read_text(encoding="utf-8"))
        begin(records, job, 1, planned_ms - 9 * MINUTE_MS)
        end(records, job, 1, said, "stopped", ended_ms=planned_ms - 5 * MINUTE_MS)
        begin(records, job, 2, planned_ms - 2 * MINUTE_MS)
        recorder = Recorder(str(checkpoint), records, 2, monotonic=time.monotonic)
        for progress in events(said):
            recorder.note(progress)
        recorder.close()
        if job == RAW:
            restart(records, job, planned_ms - MINUTE_MS)
            end(records, job, 2, said, "drained", ended_ms=planned_ms + 1_000)


def events(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [said["last_progress"]] if said.get("last_progress") else []


def begin(records: Records, job: str, epoch: int, at_ms: int) -> None:
    holder = Holder(**{**holder_fields(), "started_ms": at_ms})
    records.create(epoch_name(epoch), write_holder(holder))
    records.replace(beat_name(epoch), write_beat(17))
    start = RunStart(
        job=job,
        epoch=epoch,
        run_id=holder.run_id,
        started_ms=at_ms,
        host=holder.host,
        pid=holder.pid,
        user=holder.user,
        checkpoint=f"checkpoints/{job}",
        profile="embedded",
        master="local[*]",
        once=False,
        take_over=False,
        holdfast_version="0.1.0",
        spark_version="4.2.0",
        code_revision="9c1f0aa7d2",
    )
    records.create(start_name(epoch), encode_record(start))


def end(
    records: Records, job: str, epoch: int, said: dict[str, Any], how: Any, *, ended_ms: int
) -> None:
    result = RunResult(
        job=job,
        end=how,
        epoch=epoch,
        query_id=said["query_id"],
        batches=1,
        rows=said["batches"][0]["input_rows"],
        last_batch=epoch - 1,
        duration_ms=2 * MINUTE_MS + 1_000,
        cause="",
        ended_ms=ended_ms,
    )
    records.create(end_name(epoch), encode_record(result))
    records.create(released_name(epoch), write_holder(HOLDER))


def restart(records: Records, job: str, at_ms: int) -> None:
    record = RunRestart(
        job=job,
        epoch=2,
        number=1,
        at_ms=at_ms,
        code="HF007",
        cause="the broker gave no answer",
        wait_ms=4_000,
    )
    records.create(restart_name(2, 1), encode_record(record))


def holder_fields() -> dict[str, Any]:
    return {name: getattr(HOLDER, name) for name in Holder.__slots__}
