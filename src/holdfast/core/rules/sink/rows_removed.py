"""HF492: rows were taken out of the table by others.

A restore, a deletion or an overwrite takes rows out of a Delta table and leaves its memory of
batches: RESTORE writes no transaction action. The query goes on after its last batch, and what was
taken out does not come back. Whether that was meant, nobody but its author knows.

Means: the log of the table has a restore, a deletion or an overwrite that is not the query's own.
Verdict: unknown for resume.
Do: if it was not meant, replay from the batch after which the rows are gone.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for sink in evidence.sinks:
        if sink.removals:
            yield rule.found(
                "unknown",
                f"rows were taken out of {sink.sink}: {', '.join(sink.removals[:3])}",
                evidence=sink.last.origin,
                consequence="a resume does not bring them back",
                next_action="if that was not meant, replay from the batch before it",
            )


RULE = Rule(
    code="HF492",
    title="rows were removed from the table",
    check=_check,
    goals=frozenset({"resume"}),
)
