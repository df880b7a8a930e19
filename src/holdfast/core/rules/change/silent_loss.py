"""HF469: the source is told to go on where data is missing.

With failOnDataLoss=false (Kafka, Delta) or ignoreMissingFiles and ignoreCorruptFiles (files) a
source that no longer finds what its position asks for goes on from what is left. The only sign is a
line in the log. Whether something is missing can be asked of the source before the start; where
nobody asked, a silent loss cannot be ruled out.

Means: one of these options is set in the query that is to start.
Verdict: unknown for resume and replay where the source was not looked at, else a note: the rules
about sources then say what is missing.
Do: leave the option out, or name the source: `--source kafka:BROKERS/TOPIC`.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import option, upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_LOSING = {"failOnDataLoss": "false", "ignoreMissingFiles": "true", "ignoreCorruptFiles": "true"}


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    known = upcoming(evidence)
    if known is None:
        return
    answered = {each.position for each in evidence.sources if each.problem is None}
    for source in known.value.sources:
        looked_at = source.position in answered
        for name, losing in _LOSING.items():
            value = option(source.options, name)
            if value is None or value.strip().lower() != losing:
                continue
            yield rule.found(
                "note" if looked_at else "unknown",
                f"source {source.position} has {name}={losing}",
                evidence=known.origin,
                consequence="what is missing is left out without an error"
                + ("" if looked_at else ", and nobody looked whether something is"),
                next_action=f"leave {name} out, or name the source with --source",
            )


RULE = Rule(code="HF469", title="missing data would be passed over", check=_check)
