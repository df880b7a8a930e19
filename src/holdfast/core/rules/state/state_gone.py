"""HF494: state may have been there and is not.

A checkpoint does not say whether its query keeps state, other than by the state itself. With state/
removed, a stateful query either fails at every start or begins to count from nothing. A watermark,
ids of state files in a commit, or the plan of the query tell that there was state.

Means: state/ holds no operator, and a batch was finished.
Verdict: unsafe where a commit or the query says that there is state; unknown where nothing says
that there is none.
Do: restore state/; for a query without state say so: `--stateless`, or `--against` its code.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import stateful_words
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.operators or evidence.done_through is None:
        return
    told = _is_stateful(evidence)
    if told is False:
        return
    yield rule.found(
        "unsafe" if told else "unknown",
        "the query keeps state, and state/ holds none"
        if told
        else "whether the query keeps state is not known, and state/ holds none",
        evidence="state/",
        consequence="a stateful query without its state fails, or begins to count from nothing",
        next_action="restore state/ from a backup"
        if told
        else "say --stateless, or show the code: --against module:function",
    )


def _is_stateful(evidence: Evidence) -> bool | None:
    """What tells whether there was state; None where nothing does."""
    commit, plan = evidence.commit, evidence.plan
    if isinstance(commit, Known) and commit.value.has_state_ids:
        return True
    for query in (evidence.next_query, evidence.last_query):
        words = stateful_words(query.value) if isinstance(query, Known) else None
        if words is not None:
            return bool(words)
    if evidence.said_stateless:
        return False
    marked = isinstance(plan, Known) and (plan.value.watermark_ms or 0) > 0
    # A watermark without a stateful operator does nothing, and is rare.
    return True if marked else None


RULE = Rule(code="HF494", title="state may be gone", check=_check)
