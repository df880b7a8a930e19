"""Records of runs, made by hand with the functions that write them."""

from dataclasses import replace
from typing import Any

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
from tests.lease.worlds import HOLDER

BEGAN_MS = 1_790_000_000_000


def take(records: Records, epoch: int, holder: Holder = HOLDER, *, beats: int = 3) -> None:
    records.create(epoch_name(epoch), write_holder(holder))
    records.replace(beat_name(epoch), write_beat(beats))


def begin(records: Records, epoch: int, holder: Holder = HOLDER, **more: Any) -> None:
    take(records, epoch, holder)
    start = RunStart(
        job="merge-gold",
        epoch=epoch,
        run_id=holder.run_id,
        started_ms=BEGAN_MS + epoch * 3_600_000,
        host=holder.host,
        pid=holder.pid,
        user=holder.user,
        checkpoint="/ck",
        profile="embedded",
        master="local[*]",
        once=True,
        take_over=False,
        holdfast_version="0.1.0",
        spark_version="4.2.0",
        code_revision="0123456789abcdef",
    )
    records.create(start_name(epoch), encode_record(replace(start, **more)))


def end(records: Records, epoch: int, how: str = "drained", **more: Any) -> None:
    result = RunResult(
        job="merge-gold",
        end=how,  # type: ignore[arg-type]
        epoch=epoch,
        query_id="4b41c017-66c9-4266-832e-b7bdca059b6e",
        batches=2,
        rows=20,
        last_batch=1,
        duration_ms=65_000,
        cause="",
    )
    records.create(end_name(epoch), encode_record(replace(result, **more)))
    records.create(released_name(epoch), write_holder(HOLDER))


def restart(records: Records, epoch: int, number: int) -> None:
    record = RunRestart(
        job="merge-gold",
        epoch=epoch,
        number=number,
        at_ms=BEGAN_MS,
        code="HF007",
        cause="the broker gave no answer",
        wait_ms=4_000,
    )
    records.create(restart_name(epoch, number), encode_record(record))
