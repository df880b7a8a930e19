"""HF447: the sink forgets batches after a while.

`delta.setTransactionRetentionDuration` makes Delta ignore marks that are older than it. A batch
that runs again after that time is written again.

Means: the table has a retention of transaction marks.
Verdict: unsafe where a batch is in flight and the mark is older than that; a note otherwise.
Do: unset the property, or restart within the time.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for sink in evidence.sinks:
        keeps = sink.forgets_after_ms
        if keeps is None:
            continue
        newest = sink.batches[0].at_ms if sink.batches else None
        over = newest is None or newest + keeps < evidence.taken_at_ms
        bad = evidence.in_flight is not None and over
        yield rule.found(
            "unsafe" if bad else "note",
            f"{sink.sink} forgets a query after {keeps // 1000:,} s without a batch",
            evidence=sink.last.origin,
            consequence="the batch in flight may be written a second time" if bad else "",
            next_action="unset delta.setTransactionRetentionDuration" if bad else "",
        )


RULE = Rule(code="HF447", title="the sink forgets", check=_check, goals=frozenset({"resume"}))
