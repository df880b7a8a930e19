"""HF491: nothing says how far the output of a sink without memory reaches.

A sink that keeps no memory cannot say which batches it has. If the checkpoint was cut back,
restored from a backup, or a copy of it ran elsewhere, a start writes rows again, and nothing here
shows it. Where the query ran under Holdfast, our records say which batch was finished last, and
that is held against the checkpoint.

Means: the sink keeps no memory, and no record of ours ends with the newest commit.
Verdict: unknown for resume.
Do: compare the newest rows of the output with the newest batch, or use a sink with a ledger.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    records = evidence.remembered
    confirmed = (
        isinstance(records, Known)
        and records.value.last_batch is not None
        and records.value.last_batch == evidence.commits.newest
    )
    for sink in evidence.sinks:
        if sink.skips == "never" and not confirmed:
            yield rule.found(
                "unknown",
                f"{sink.sink} keeps no memory of batches, and no record of ours says where the "
                "last run ended",
                evidence=sink.sink,
                consequence="were the checkpoint older than the output, rows would come twice",
                next_action="compare the newest rows of the output with the newest batch",
            )


RULE = Rule(
    code="HF491", title="nothing confirms the output", check=_check, goals=frozenset({"resume"})
)
