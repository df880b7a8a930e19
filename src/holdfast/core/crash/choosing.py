"""Which of the recorded points are killed: all, one of each kind, or those that were named."""

import random
from collections.abc import Sequence

from holdfast.core.crash.point import Point
from holdfast.core.microbatch import CRASH_POINTS
from holdfast.errors import UsageError


def choose(
    points: Sequence[Point],
    *,
    names: Sequence[str] = (),
    quick: bool = False,
    runs: int | None = None,
    seed: int = 0,
) -> tuple[Point, ...]:
    """Points by name, number or stage (such as K9); with quick one of each stage; else all.

    Of what is left, at most `runs`. Chance is decided by the seed.
    """
    chosen = {point for name in names for point in _named(points, name)} if names else set(points)
    pick = random.Random(seed)
    if quick:
        by_stage: dict[str, list[Point]] = {}
        for point in points:
            if point in chosen:
                by_stage.setdefault(point.stage, []).append(point)
        chosen = {pick.choice(group) for group in by_stage.values()}
    if runs is not None and runs < len(chosen):
        chosen = set(pick.sample(sorted(chosen, key=lambda point: point.number), runs))
    return tuple(point for point in points if point in chosen)


def _named(points: Sequence[Point], name: str) -> list[Point]:
    if name in CRASH_POINTS:
        found = [point for point in points if point.stage == name]
        there = sorted({point.stage for point in points}, key=list(CRASH_POINTS).index)
        can = f"it has {', '.join(there)}"
    else:
        found = [point for point in points if name in (str(point.number), point.name)]
        can = f"use numbers from 1 to {len(points)}, names of a report, or stages such as K9"
    if not found:
        raise UsageError(f"this run has no crash point {name}", next_action=can)
    return found
