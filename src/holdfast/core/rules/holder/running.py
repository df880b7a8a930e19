"""HF431: somebody holds the lease of this checkpoint.

A second start would be a second writer. Spark has no lock across processes: it notices only when a
log file is there already, which may be after it has written to the sink. `holdfast run` refuses; a
start by other means does not.

Means: the newest epoch was not given back, and its holder lives or cannot be asked.
Verdict: unsafe while the holder lives; unknown where it is on another host; a note where it is
dead.
Do: stop it, or start with `holdfast run --take-over`.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known, Unreadable
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding, Weight


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    fact = evidence.holder
    if isinstance(fact, Unreadable):
        yield rule.found(
            "unknown",
            f"who holds the lease cannot be read: {fact.reason}",
            evidence=fact.origin,
            consequence="somebody may be writing here now",
            next_action="holdfast status",
        )
    if not isinstance(fact, Known):
        return
    holder = fact.value
    who = f"process {holder.pid} on {holder.host}, epoch {holder.epoch}"
    weights: dict[bool | None, Weight] = {True: "unsafe", None: "unknown", False: "note"}
    words = {
        True: f"{who}, holds the lease and lives",
        None: f"{who}, holds the lease, and from here it cannot be told whether it lives",
        False: f"{who}, held the lease and is dead",
    }
    alive = holder.is_alive
    yield rule.found(
        weights[alive],
        words[alive],
        evidence=fact.origin,
        consequence="" if alive is False else "a second start would write beside it",
        next_action="" if alive is False else "stop it first, or use holdfast run --take-over",
    )


RULE = Rule(code="HF431", title="it is running", check=_check, goals=ALL_GOALS)
