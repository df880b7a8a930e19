"""A verdict: safe, unknown or unsafe, for one goal; the worst finding decides."""

from dataclasses import dataclass
from typing import Literal

from holdfast.core.goal import Goal

Weight = Literal["unsafe", "unknown", "note"]
Answer = Literal["safe", "unknown", "unsafe"]

HEAVIEST_FIRST: tuple[Weight, ...] = ("unsafe", "unknown", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFinding:
    """What one rule found: what is so, how we know, what follows, what to do."""

    code: str
    weight: Weight
    message: str
    """What is so."""
    evidence: str
    """The file, the row or the query that says so."""
    consequence: str
    """What a start would do then; '' for a note that changes nothing."""
    next_action: str
    """The next command or look; '' where nothing is to be done."""
    rows: int | None = None
    """Rows that would be lost, doubled or skipped, where they can be counted."""
    rows_unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer for one goal, and every finding that speaks about it, the heaviest first."""

    goal: Goal
    answer: Answer
    findings: tuple[RuleFinding, ...]

    @property
    def exit_code(self) -> int:
        """0 safe, 1 unsafe, 4 unknown."""
        return {"safe": 0, "unsafe": 1, "unknown": 4}[self.answer]


def answer_of(findings: tuple[RuleFinding, ...]) -> Answer:
    """The worst wins."""
    weights = {finding.weight for finding in findings}
    if "unsafe" in weights:
        return "unsafe"
    return "unknown" if "unknown" in weights else "safe"
