"""HF446: a stateful query whose sink would drop the batch in flight.

When the sink holds the batch in flight, Delta and the file sink return before the plan is executed,
and so does an early return in foreachBatch. In state format 2 the state of that batch is then never
committed, and every later start fails (assertion failed: CheckpointInfo length: 0). In format 1 the
state that the first attempt wrote is taken, if every partition wrote it; if not, commits/N is there
without state, and no later start can load it. Sinks of Holdfast execute the plan all the same.

Means: the query is stateful, a batch is in flight, and a sink that drops batches silently holds it.
Verdict: unsafe in format 2 and where state is missing; unknown where that cannot be told; else a
note.
Do: take the batch out of the sink's memory first, so that it is executed.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    batch = evidence.in_flight
    if batch is None or not evidence.is_stateful or evidence.restart_kind != "rerun":
        return
    for sink in evidence.sinks:
        held = isinstance(sink.last, Known) and sink.last.value >= batch
        if sink.skips != "at-or-below" or sink.kind == "iceberg" or not held:
            continue
        weight, consequence = _weight(evidence)
        yield rule.found(
            weight,
            f"{sink.sink} holds batch {batch:,} and drops it without executing its plan",
            evidence=sink.last.origin,
            consequence=consequence,
            next_action="" if weight == "note" else "lower the sink's memory below that batch",
        )


def _weight(evidence: Evidence) -> tuple[Weight, str]:
    if evidence.state_format == 2:
        return "unsafe", "its state is never committed, and the query can never start again"
    if evidence.state_format is None:
        return "unknown", "whether the query can start afterwards depends on the state format"
    if evidence.state_written is False:
        return "unsafe", "commits/ gets the batch without its state, and no later start can load it"
    if evidence.state_written is None:
        return "unknown", "whether all of its state was written is not known"
    return "note", "the state that the first attempt wrote is taken"


RULE = Rule(
    code="HF446",
    title="a dropped batch of a stateful query",
    check=_check,
    goals=frozenset({"resume"}),
)
