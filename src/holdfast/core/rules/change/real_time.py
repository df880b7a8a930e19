"""HF484: real-time mode is switched on or off.

In real-time mode a plan is written when its batch is over. A start in that mode throws away a plan
that has no commit and reads its input again, in other batches: a sink that goes by batch ids may
hold that batch already, and drops whatever comes under its number. Stateful queries in real-time
mode need state format 2 (Spark 4.3 refuses otherwise). The other way round nothing is lost, and
rows that left after the last commit leave once more.

Means: the trigger was real-time and is not, or is and was not.
Verdict: switched on, unsafe with a batch in flight or with state of format 1, else a note;
switched off, a note.
Do: finish the batch in flight under the old trigger first.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, change_of
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight

_FORMAT_NEEDED = 2


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None:
        return
    was, now = _is_real_time(change.before.trigger), _is_real_time(change.after.trigger)
    if was == now:
        return
    weight, consequence = _weight(evidence, switched_on=now)
    yield rule.found(
        weight,
        f"trigger: {arrow(change.before.trigger, change.after.trigger)}",
        evidence=change.known_from,
        consequence=consequence,
        next_action="finish the batch in flight under the old trigger first"
        if weight == "unsafe"
        else "",
    )


def _is_real_time(trigger: str | None) -> bool:
    return (trigger or "").lower().replace("-", "").replace(" ", "").startswith("realtime")


def _weight(evidence: Evidence, *, switched_on: bool) -> tuple[Weight, str]:
    if not switched_on:
        return "note", "rows that left after the last commit leave once more"
    if evidence.in_flight is not None:
        return "unsafe", (
            f"Spark forgets the plan of batch {evidence.in_flight:,} and cuts its input anew; a "
            "sink that holds that batch drops what comes under its number"
        )
    if evidence.is_stateful and evidence.state_format != _FORMAT_NEEDED:
        return "unsafe", "real-time mode needs state format 2, and Spark 4.3 refuses without it"
    return "note", "plans are written after their batch from now on"


RULE = Rule(code="HF484", title="real-time mode switched on or off", check=_check)
