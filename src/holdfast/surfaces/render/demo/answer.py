"""The demo for a program."""

from dataclasses import asdict
from typing import Any

from holdfast.flows.demo.demonstrate import Demonstrated
from holdfast.flows.demo.killing import Kill
from holdfast.flows.judge import Judged


def demo_result(done: Demonstrated) -> dict[str, Any]:
    """The `result` of the envelope."""
    judged = done.judgement
    return {
        "folder": done.folder,
        "job": done.job,
        "checkpoint": done.checkpoint,
        "killed": None if done.kill is None else _killed(done.kill, done.judged),
        "starts": done.starts,
        "batches_after": done.batches_after,
        "rows_in": judged.rows_in,
        "good": judged.good,
        "quarantined": judged.quarantined,
        "lost": judged.lost,
        "duplicated": judged.duplicated,
        "changed": judged.changed,
        "readings": asdict(judged.readings),
        "gold": asdict(judged.gold),
        "proven": done.is_proven,
        "duration_ms": done.duration_ms,
        "next_commands": list(done.next_commands),
    }


def _killed(kill: Kill, judged: Judged | None) -> dict[str, Any]:
    checkpoint = kill.shown.checkpoint
    return {
        "batch": kill.batch,
        "planned_at_ms": checkpoint.planned_at_ms,
        "shown_at_ms": kill.shown_at_ms,
        "died": checkpoint.death.text if checkpoint.death else None,
        "restart": checkpoint.restart.text,
        "verdict": judged.verdicts[0].answer if judged is not None else None,
    }
