"""HF454: whether it is still the same topic cannot be told.

Nothing in a checkpoint tells two topics of one name apart; the topic id does, and it was not
remembered: the query never ran under Holdfast, or ran before identities were kept. A topic that was
made anew would be read from the old position.

Means: the source is a Kafka topic, and no identity was stored for it.
Verdict: a note: the position fits what the topic has, which a new topic seldom does.
Do: look when the topic was created; start it once under Holdfast, which then remembers.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_state import sameness
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for source in evidence.sources:
        if source.kind == "kafka" and source.problem is None and sameness(source) == "unknown":
            yield rule.found(
                "note",
                f"source {source.position} ({source.where}): nobody remembered the id of the topic",
                evidence=source.where,
                next_action="look when the topic was created",
            )


RULE = Rule(code="HF454", title="whether the source is the same is unknown", check=_check)
