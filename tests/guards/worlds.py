"""A base with checkpoints and records in it, made by hand."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from holdfast.adapters.records.opening import open_records
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.job import Job, SinkSpec, SourceSpec, TriggerSpec
from holdfast.core.running.ports import Records
from holdfast.core.running.run import RunResult, RunStart, encode_record, end_name, start_name
from holdfast.flows.guard import check_start, remember_identity
from tests.checkpoint_builder import QUERY_ID, CheckpointBuilder

OTHER_ID = "0c1f0000-66c9-4266-832e-b7bdca059b6e"


def make_job(name: str, checkpoint: str, sink: SinkSpec | None = None) -> Job:
    return Job(
        name=name,
        source=SourceSpec(format="rate", path=None, schema=None, options={}, job=None),
        transform=None,
        sink=sink or SinkSpec(kind="file", options={"path": "/data/out"}),
        trigger=TriggerSpec(kind="available-now", interval=None),
        output_mode="append",
        checkpoint=checkpoint,
    )


@dataclass
class World:
    """One base; jobs are named by the folder of their checkpoint unless told otherwise."""

    base: Path

    def job(self, name: str, at: str | None = None, **changes: Any) -> Job:
        return replace(make_job(name, str(self.base / (at or name))), **changes)

    def records(self, job: Job) -> Records:
        return open_records(job.checkpoint)

    def checkpoint(self, at: str, query_id: str = QUERY_ID, batches: int = 3) -> CheckpointBuilder:
        return CheckpointBuilder(self.base / at).metadata(query_id).batches(range(batches))

    def ran(self, job: Job, query_id: str = QUERY_ID) -> None:
        """The job has run, and its checkpoint is there."""
        self.checkpoint(Path(job.checkpoint).name, query_id)
        self.started(job)
        remember_identity(job, self.records(job), query_id)

    def started(self, job: Job, epoch: int = 1) -> None:
        start = RunStart(
            job=job.name,
            epoch=epoch,
            run_id="r",
            started_ms=1,
            host="h",
            pid=1,
            user="u",
            checkpoint=job.checkpoint,
            profile="p",
            master="local",
            once=True,
            take_over=False,
            holdfast_version="0",
            spark_version=None,
            code_revision=None,
        )
        self.records(job).create(start_name(epoch), encode_record(start))

    def ended(self, job: Job, last_batch: int | None, epoch: int = 1) -> None:
        result = RunResult(
            job=job.name,
            end="drained",
            epoch=epoch,
            query_id=QUERY_ID,
            batches=1,
            rows=1,
            last_batch=last_batch,
            duration_ms=1,
            cause="",
        )
        self.records(job).create(end_name(epoch), encode_record(result))

    def sealed(self, job: Job, *batches: int, epoch: int = 1, torn: bytes = b"") -> None:
        lines = [json.dumps({"batch": batch, "offsets": "0", "commits": "0"}) for batch in batches]
        data = "\n".join(lines).encode() + b"\n" + torn
        self.records(job).create(f"seals/{epoch:020d}-00000001.jsonl", data)

    def check(self, job: Job, *, given_by_hand: bool = False) -> tuple[GuardFinding, ...]:
        return check_start(job, self.records(job), given_by_hand=given_by_hand)

    def codes(self, job: Job, *, given_by_hand: bool = False) -> list[tuple[str, str]]:
        found = self.check(job, given_by_hand=given_by_hand)
        assert all(finding.next_action and finding.job == job.name for finding in found)
        return [(finding.code, finding.severity) for finding in found]
