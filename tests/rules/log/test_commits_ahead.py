"""Cases of HF402."""

from tests.rules.made_up import evidence, found, judged, log


def test_commits_ahead_of_plans_are_unsafe() -> None:
    given = evidence(commits=log(9), restart_kind="rerun-then-fail")
    (finding,) = found(given, "HF402")
    assert "9" in finding.message and "7" in finding.message
    assert judged(given).answer == "unsafe"


def test_commits_without_any_plan_are_unsafe() -> None:
    given = evidence(offsets=log(None), restart_kind="rerun-then-fail")
    assert "none" in found(given, "HF402")[0].message


def test_logs_in_step_are_not() -> None:
    assert not found(evidence(), "HF402")
