"""HF497: an input file of the batch in flight was touched after the plan.

A file source knows its files by name and time of last write. A file that was written anew and then
given its old time (cp -p, rsync -t, tar, a restored backup) is the same to Spark: the batch runs
again over other rows than it was planned for, and what of it reached the sink before the crash is
of the old ones. On a local disk the time of the last change of the file itself cannot be set back,
and gives it away; moving the file or changing its rights moves that time too, so it proves nothing.
Object stores set the time of last write themselves, so there a file written anew shows by it
(HF455). HDFS lets it be set and keeps no other: there such a file cannot be told.

Means: a batch is in flight, and a file of it changed after its plan was written, though its time of
last write did not.
Verdict: unknown for resume and replay.
Do: compare the file with what was delivered; if only its rights or its place changed, start it.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_CLOCK_STEP_MS = 10
"""The clock by which a file system stamps files may lag behind by one tick of the kernel."""

_NAMED_MAX = 3


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.in_flight is None:
        return
    planned = evidence.plan.value.timestamp_ms if isinstance(evidence.plan, Known) else None
    for source in evidence.sources:
        late = [
            file.path
            for file in source.touched
            if planned is None or file.at_ms + _CLOCK_STEP_MS > planned
        ]
        if late:
            more = f" and {len(late) - _NAMED_MAX:,} more" if len(late) > _NAMED_MAX else ""
            yield rule.found(
                "unknown",
                f"source {source.position} ({source.kind} {source.where}): touched since batch "
                f"{evidence.in_flight:,} was planned: {', '.join(late[:_NAMED_MAX])}{more}",
                evidence=late[0],
                consequence="if its rows are others now, the batch is not the one that was planned",
                next_action="compare the file with what was delivered; a move or a change of "
                "rights touches it too, and is harmless",
                rows=len(late),
                unit="files were touched",
            )


RULE = Rule(code="HF497", title="input of the batch in flight was touched", check=_check)
