"""HF450: a replay, and the output that it corrects.

Cutting both logs is not enough: the sink remembers the batches and drops them when they come again,
together with the new rows that Spark plans into them. A replay is right only when the sink's memory
and rows go back with the logs, or when the batches come under higher numbers. A sink without memory
gets the rows twice. No plan of this release does that yet.

Means: the goal is replay or backfill.
Verdict: unsafe where the sink keeps no memory of batches; unknown otherwise.
Do: do not cut logs by hand.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for sink in evidence.sinks:
        if sink.skips == "never":
            yield rule.found(
                "unsafe",
                f"{sink.sink} keeps no memory of batches, so rows of a {goal} cannot be told apart",
                evidence=sink.sink,
                consequence="rows that are there already come a second time",
                next_action="write to a sink with a ledger, or to a new output",
            )
        else:
            yield rule.found(
                "unknown",
                f"a {goal} into {sink.sink} needs its memory and its rows to go along",
                evidence=sink.last.origin,
                consequence="logs cut by hand make the sink drop the batches that come again",
                next_action="do not cut logs by hand",
            )


RULE = Rule(
    code="HF450",
    title="a replay and its output",
    check=_check,
    goals=frozenset({"replay", "backfill"}),
)
