"""Put every rule to the evidence; a rule that fails yields unknown, never safe."""

from collections.abc import Iterable, Sequence

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import HEAVIEST_FIRST, RuleFinding, Verdict, answer_of

RULE_FAILED = "HF400"


def judge(evidence: Evidence, goal: Goal, rules: Sequence[Rule]) -> Verdict:
    """The verdict for one goal."""
    findings = tuple(
        sorted(
            (
                finding
                for rule in rules
                if goal in rule.goals
                for finding in _checked(rule, evidence, goal)
            ),
            key=lambda finding: (HEAVIEST_FIRST.index(finding.weight), finding.code),
        )
    )
    return Verdict(goal=goal, answer=answer_of(findings), findings=findings)


def _checked(rule: Rule, evidence: Evidence, goal: Goal) -> Iterable[RuleFinding]:
    try:
        return tuple(rule.check(rule, evidence, goal))
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a rule, its answer is unknown
        return (
            RuleFinding(
                code=RULE_FAILED,
                weight="unknown",
                message=f"rule {rule.code} ({rule.title}) failed: {type(error).__name__}: {error}",
                evidence="Holdfast itself",
                consequence="whether this hazard is there is not known",
                next_action="report it with the evidence: holdfast evidence … -o evidence.json",
            ),
        )
