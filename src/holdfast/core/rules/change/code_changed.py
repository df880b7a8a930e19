"""HF462: the code is another one than at the last start, and its plan was not analysed.

The declaration names the transform, but only its plan tells which operators it makes. For a query
without state a change of filters, projections and functions is allowed by Spark; the rows that come
from now on are made by the new code. State is another matter: it was written by the old operators,
and only an analysis can say whether the new ones can read it.

Means: another transform or another code revision than at the last start, and no `--against`.
Verdict: unknown for resume and replay of a stateful query, a note for one without state.
Do: `holdfast judge JOB --against holdfast.yaml`, which analyses the plan and runs nothing.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, change_of, is_stateful, stateful_words
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None or stateful_words(change.after) is not None:
        return
    before, after = change.before, change.after
    if before.transform != after.transform:
        difference = f"transform {arrow(before.transform, after.transform)}"
    elif before.code_revision != after.code_revision and after.code_revision is not None:
        difference = f"code revision {arrow(before.code_revision, after.code_revision)}"
    else:
        return
    stateful = is_stateful(evidence)
    yield rule.found(
        "unknown" if stateful else "note",
        f"{difference}, and the new plan was not analysed",
        evidence=change.known_from,
        consequence="whether the new operators can read the stored state is not known"
        if stateful
        else "rows from now on are made by the new code",
        next_action=f"holdfast judge {evidence.location} --against holdfast.yaml",
    )


RULE = Rule(code="HF462", title="the code changed and was not analysed", check=_check)
