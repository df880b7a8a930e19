"""Cases of HF494."""

from holdfast.core.evidence.around import Query
from holdfast.core.fact import Known
from tests.rules.change.queries import query
from tests.rules.made_up import commit, evidence, found, operator, plan


def told(stateful: tuple[str, ...] | None) -> Known[Query]:
    return Known(query(stateful=stateful), "the plan")


def test_whoever_knows_the_query_decides() -> None:
    bare = evidence(said_stateless=False)
    assert found(bare, "HF494")[0].weight == "unknown"
    assert not found(evidence(said_stateless=True), "HF494")
    assert not found(evidence(said_stateless=False, next_query=told(())), "HF494")
    given = evidence(said_stateless=False, last_query=told(("Aggregate [k]",)))
    assert found(given, "HF494")[0].weight == "unsafe"
    assert found(evidence(said_stateless=False, next_query=told(None)), "HF494")


def test_a_commit_or_a_watermark_tells() -> None:
    ids = evidence(commit=Known(commit(7, ids=True), "commits/7"))
    assert found(ids, "HF494")[0].weight == "unsafe"
    marked = evidence(plan=Known(plan(7, watermark_ms=5), "offsets/7"), said_stateless=False)
    assert found(marked, "HF494")[0].weight == "unsafe"


def test_state_that_is_there_is_for_other_rules() -> None:
    assert not found(evidence(operators=(operator(),), said_stateless=False), "HF494")
