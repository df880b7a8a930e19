"""The verdict as a whole: the worst wins, and a rule that fails is no rule that passed."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import GOALS, Goal
from holdfast.core.rules.judging import RULE_FAILED, judge
from holdfast.core.rules.registry import all_rules
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding, Weight
from tests.rules.made_up import evidence

RULES = Path(__file__).parents[2] / "src" / "holdfast" / "core" / "rules"


def ruled(weight: Weight) -> Rule:
    def check(rule: Rule, given: Evidence, goal: Goal) -> Iterable[RuleFinding]:
        yield rule.found(weight, "so it is", evidence="a file")

    return Rule(code=f"HF4-{weight}", title="made up", check=check, goals=ALL_GOALS)


@pytest.mark.parametrize(
    ("weights", "answer"),
    [
        ((), "safe"),
        (("note",), "safe"),
        (("note", "unknown"), "unknown"),
        (("unknown", "unsafe", "note"), "unsafe"),
    ],
)
def test_the_worst_wins(weights: tuple[Weight, ...], answer: str) -> None:
    verdict = judge(evidence(), "resume", [ruled(weight) for weight in weights])
    assert verdict.answer == answer
    order = ["unsafe", "unknown", "note"]
    found = [order.index(finding.weight) for finding in verdict.findings]
    assert found == sorted(found), "the heaviest first"


def test_a_rule_that_fails_yields_unknown() -> None:
    def check(rule: Rule, given: Evidence, goal: Goal) -> Iterable[RuleFinding]:
        raise ZeroDivisionError("oh")

    verdict = judge(evidence(), "resume", [Rule(code="HF4-bad", title="bad", check=check)])
    assert verdict.answer == "unknown"
    assert [finding.code for finding in verdict.findings] == [RULE_FAILED]


def test_a_sound_checkpoint_with_its_sink_is_safe_to_resume() -> None:
    assert judge(evidence(), "resume", all_rules()).answer == "safe"


def test_a_sink_that_was_not_looked_at_is_never_safe() -> None:
    for goal in GOALS:
        assert judge(evidence(sinks=()), goal, all_rules()).answer != "safe"


def test_each_rule_has_a_file_of_cases_and_a_page() -> None:
    codes = [rule.code for rule in all_rules()]
    assert len(codes) == len(set(codes)), "a code is never used twice"
    files = [path for path in RULES.glob("*/*.py") if path.name != "__init__.py"]
    assert len(files) == len(codes)
    for path in files:
        text = path.read_text()
        cases = Path(__file__).parent / path.parent.name / f"test_{path.stem}.py"
        assert cases.exists(), f"{path.stem} has no file of cases"
        for word in ("Means:", "Verdict:", "Do:"):
            assert word in text.split('"""')[1], f"{path.stem}: its page lacks {word}"
