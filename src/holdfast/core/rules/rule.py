"""What a rule is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import GOALS, Goal
from holdfast.core.verdict import RuleFinding, Weight

Check = Callable[["Rule", Evidence, Goal], Iterable[RuleFinding]]

ALL_GOALS: frozenset[Goal] = frozenset(GOALS)
STARTS: frozenset[Goal] = frozenset({"resume", "replay"})
"""Goals that go on with this checkpoint; a reset and a backfill begin with one of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One hazard, and the goals that it bears on."""

    code: str
    title: str
    check: Check
    """Yields nothing where the hazard is not there, and `unknown` where that cannot be said."""
    goals: frozenset[Goal] = STARTS

    def found(
        self,
        weight: Weight,
        message: str,
        *,
        evidence: str,
        consequence: str = "",
        next_action: str = "",
        rows: int | None = None,
        unit: str | None = None,
    ) -> RuleFinding:
        """A finding of this rule."""
        return RuleFinding(
            code=self.code,
            weight=weight,
            message=message,
            evidence=evidence,
            consequence=consequence,
            next_action=next_action,
            rows=rows,
            rows_unit=unit,
        )
