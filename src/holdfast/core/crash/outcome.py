"""What became of a kill at a point, and what all of them prove."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.core.crash.comparison import Comparison
from holdfast.core.crash.fault import FaultName
from holdfast.core.crash.point import Point

OutcomeKind = Literal["exact", "wrong", "torn", "stuck", "unreadable", "detected", "missed"]
"""exact: every row once. wrong: rows lost, duplicated or changed. torn: half a batch was visible.
stuck: the job did not come up again by itself. unreadable: a reader of the output fails. detected:
files were torn by a power cut, the job does not go on over them, and the reader names the damage.
missed: the point was not reached."""
VerdictKind = Literal["proven", "convicted", "unknown"]

BAD: frozenset[OutcomeKind] = frozenset({"wrong", "torn", "stuck", "unreadable"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One point, with a fault that really happened."""

    point: Point
    kind: OutcomeKind
    fault: FaultName = "kill"
    comparison: Comparison | None = None
    """The output at the end against what it should be."""
    examples: tuple[str, ...] = ()
    """Some rows that are wrong, as text."""
    left: str = ""
    """What the kill left on storage, as the reader says it."""
    detail: str = ""
    folder: str = ""
    """Where everything of it is kept, where it is."""

    @property
    def is_bad(self) -> bool:
        """Whether it convicts."""
        return self.kind in BAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the outcomes prove together: the worst wins."""

    kind: VerdictKind
    reasons: tuple[str, ...]


def judge_outcomes(
    outcomes: Sequence[Outcome],
    *,
    recorded: int,
    unrepeatable: tuple[str, ...] = (),
    undisturbed: Comparison | None = None,
) -> Verdict:
    """Convicted by any bad outcome; proven where every recorded point was killed and is exact."""
    bad = Counter(outcome.kind for outcome in outcomes if outcome.is_bad)
    killed = len({each.point for each in outcomes if each.kind != "missed"})
    missed = sum(outcome.kind == "missed" for outcome in outcomes)
    reasons = [
        f"{count} of {len(outcomes)} crash points: {_WORDS[kind]}" for kind, count in bad.items()
    ]
    if unrepeatable:
        told = ", ".join(unrepeatable)
        reasons.append(f"one batch, run twice, gives other rows: {told}")
    if undisturbed is not None:
        reasons.append(f"the undisturbed run already differs from the answer: {undisturbed.told}")
    if reasons:
        return Verdict(kind="convicted", reasons=tuple(reasons))
    if missed:
        told = f"{missed} crash points were not reached"
        return Verdict(kind="unknown", reasons=(told,))
    if killed < recorded:
        told = f"{recorded - killed} of {recorded} crash points were not killed"
        return Verdict(kind="unknown", reasons=(told,))
    if recorded == 0:
        return Verdict(kind="unknown", reasons=("no durable operation was recorded",))
    return Verdict(kind="proven", reasons=())


_WORDS: dict[str, str] = {
    "wrong": "rows are lost, duplicated or changed",
    "torn": "half a batch was visible",
    "stuck": "the job did not start again by itself",
    "unreadable": "the output cannot be read any more",
}
