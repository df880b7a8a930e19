"""HF457: the topic has partitions that the position does not know.

New partitions are read from their beginning, which must be offset 0: where it is not, records were
deleted before they were read, and Kafka's source fails
(ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO).

Means: a partition has no stored position.
Verdict: a note where it begins at 0; unsafe where it does not.
Do: nothing where it begins at 0.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for source in evidence.sources:
        if source.kind != "kafka" or not evidence.has_batches:
            continue
        for part in source.parts:
            if part.stored is None and part.earliest is not None:
                gone = part.earliest
                yield rule.found(
                    "unsafe" if gone else "note",
                    f"{part.name} is new and begins at {gone:,}",
                    evidence=source.where,
                    consequence="records before that were never read" if gone else "",
                    rows=gone or None,
                    unit="records lost" if gone else None,
                )


RULE = Rule(code="HF457", title="partitions were added", check=_check)
