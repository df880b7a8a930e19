"""HF490: the log of a file source reaches less far than the plan.

A file source knows which files it has read by its own log in sources/<n>. Where that log is gone,
or ends before the position in the plan, or lacks a file in the middle, Spark fails, or takes files
that were read for new ones: all their rows come again.

Means: sources/<n> holds no entry as new as the newest plan, or a file of it is missing.
Verdict: unsafe for resume and replay.
Do: restore sources/ from a backup; never delete it by itself.
"""

import json
from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known, Unreadable
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for seen in evidence.saw("HF125"):
        yield rule.found(
            "unsafe",
            f"{seen.path}: {seen.message}",
            evidence=seen.path,
            consequence="Spark fails when it reads the log, or takes old files for new ones",
            next_action=f"restore {seen.path} from a backup",
        )
    if not isinstance(evidence.plan, Known):
        return
    logs = {log.position: log for log in evidence.file_logs}
    for span in evidence.plan.value.sources:
        wanted = _log_offset(span.end) if span.kind == "file" else None
        log = logs.get(span.position)
        if wanted is None or log is None:
            continue
        if isinstance(log.newest, Unreadable):
            yield rule.found(
                "unknown",
                f"the log of source {span.position} cannot be read: {log.newest.reason}",
                evidence=log.newest.origin,
                consequence="Spark may fail, or take old files for new ones",
                next_action="restore sources/ from a backup",
            )
        elif not isinstance(log.newest, Known) or log.newest.value < wanted:
            there = f"ends at {log.newest.value:,}" if isinstance(log.newest, Known) else "is gone"
            yield rule.found(
                "unsafe",
                f"the log of source {span.position} {there}, and the plan reads up to {wanted:,}",
                evidence=log.newest.origin,
                consequence="files that were read count as new: their rows come again",
                next_action="restore sources/ from a backup",
            )


def _log_offset(text: str | None) -> int | None:
    """`{"logOffset":4}`, or the bare number of very old versions."""
    try:
        value = json.loads(text or "")
    except ValueError:
        return None
    found = value.get("logOffset") if isinstance(value, dict) else value
    return found if isinstance(found, int) else None


RULE = Rule(code="HF490", title="the log of a file source is not whole", check=_check)
