"""HF480: an older Spark than the one that wrote the checkpoint.

Spark reads what older releases wrote, and promises nothing the other way. Logs of the first format
stay readable; state may not: encodings, the layout of operators and the settings that a newer one
pins are not known to an older one, which passes over them without a word.

Means: the Spark that would start the query is older than that of the last start, or than the oldest
one that can have written the newest plan.
Verdict: unknown for resume and replay of a stateful query, else a note.
Do: start it with the same release or a newer one.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, is_stateful
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.spark_release import (
    Release,
    oldest_writer,
    release_of,
    starting_release,
    told,
)
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    release, written, origin = starting_release(evidence), *_writer(evidence)
    if release is None or written is None or release >= written:
        return
    stateful = is_stateful(evidence)
    yield rule.found(
        "unknown" if stateful else "note",
        f"Spark goes down: {arrow(told(written), told(release))}",
        evidence=origin,
        consequence="whether an older Spark can read this state is not known"
        if stateful
        else "there is no state, and the logs are readable as far as their version says",
        next_action=f"start it with Spark {told(written)} or newer" if stateful else "",
    )


def _writer(evidence: Evidence) -> tuple[Release | None, str]:
    last = evidence.last_query
    by_run = release_of(last.value.spark) if isinstance(last, Known) else None
    by_plan = oldest_writer(evidence)
    if by_run is not None and (by_plan is None or by_run >= by_plan):
        return by_run, last.origin
    return by_plan, f"settings in {evidence.plan.origin}"


RULE = Rule(code="HF480", title="an older Spark than before", check=_check)
