"""HF493: readers of the output fail.

The log of the file sink lacks an entry, an entry is damaged, or files that it names are gone. Every
Spark reader of the folder fails, and the next batches do not mend it.

Means: the log of the sink, or a file that it names, is not as it was written.
Verdict: unsafe for resume.
Do: restore the output from a backup, or write to a new one.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for sink in evidence.sinks:
        for damage in sink.damage:
            yield rule.found(
                "unsafe",
                f"{sink.sink}: {damage}",
                evidence=sink.last.origin,
                consequence="rows that were written can no longer be read",
                next_action="restore the output from a backup, or write to a new one",
            )


RULE = Rule(code="HF493", title="the output is damaged", check=_check, goals=frozenset({"resume"}))
