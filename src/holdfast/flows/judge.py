"""judge: is this restart safe, for which goal, and how do we know."""

from dataclasses import dataclass

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import GOALS, Goal
from holdfast.core.rules.judging import judge as judge_goal
from holdfast.core.rules.registry import all_rules
from holdfast.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Verdicts and the evidence that they stand on."""

    evidence: Evidence
    verdicts: tuple[Verdict, ...]

    @property
    def exit_code(self) -> int:
        """That of the goal that was asked for; of resume, where all four were."""
        return self.verdicts[0].exit_code


def judge(evidence: Evidence, goal: Goal | None = None) -> Judged:
    """Put the rules to the evidence, for one goal or for each of the four."""
    rules = all_rules()
    goals = GOALS if goal is None else (goal,)
    verdicts = tuple(judge_goal(evidence, each, rules) for each in goals)
    return Judged(evidence=evidence, verdicts=verdicts)
