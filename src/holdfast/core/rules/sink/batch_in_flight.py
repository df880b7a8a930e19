"""HF445: a batch is in flight: what the sink does with it.

The newest batch was planned and not committed, so it runs again over the same input. A sink that
holds it drops it, one that does not writes it: right either way. A sink without memory writes it
again: if the batch had reached it before the crash, all its rows are there twice.

Means: there is a plan without a commit.
Verdict: a note where the sink remembers batches; unsafe where it does not.
Do: for a sink without memory: remove the rows of that batch first, or use a sink with a ledger.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known, Unreadable
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    batch = evidence.in_flight
    if batch is None or evidence.restart_kind != "rerun":
        return
    amount, unit = _amount(evidence)
    for sink in evidence.sinks:
        if sink.skips == "never":
            yield rule.found(
                "unsafe",
                f"{sink.sink} keeps no memory of batches, and batch {batch:,} runs again",
                evidence=evidence.plan.origin,
                consequence="if it had reached the sink before the crash, its rows are there twice",
                next_action="look whether its rows are there; if so, remove them before a start",
                rows=amount,
                unit=f"{unit} may be written twice" if amount is not None else None,
            )
        elif isinstance(sink.last, Known) and sink.last.value >= batch:
            yield rule.found(
                "note",
                f"{sink.sink} holds batch {batch:,} already and drops it when it runs again",
                evidence=sink.last.origin,
            )
        elif not isinstance(sink.last, Unreadable):
            yield rule.found(
                "note",
                f"{sink.sink} does not hold batch {batch:,}; it is written when it runs again",
                evidence=sink.last.origin,
            )


def _amount(evidence: Evidence) -> tuple[int | None, str]:
    if not isinstance(evidence.plan, Known):
        return None, ""
    spans = evidence.plan.value.sources
    amounts = [span.amount for span in spans]
    if not amounts or any(amount is None for amount in amounts):
        return None, ""
    return sum(amount or 0 for amount in amounts), spans[0].unit or "records"


RULE = Rule(
    code="HF445", title="a batch in flight and its sink", check=_check, goals=frozenset({"resume"})
)
