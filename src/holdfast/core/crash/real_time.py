"""Real-time mode, told by the order in which things happen; its points have names of their own.

A micro-batch is planned, then its rows leave, then it is committed. In real-time mode (Spark 4.1)
rows leave as they come, and where the batch ends is written when it has ended, right before its
commit. Nothing in a checkpoint says which mode wrote it; a recorded run shows it.
"""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.core.crash.place import Area
from holdfast.core.crash.point import STARTING, Point, is_plan
from holdfast.core.microbatch import CrashPoint

_SINK: frozenset[Area] = frozenset({"output", "server", "steps"})
_OF_A_BATCH: frozenset[CrashPoint] = frozenset(
    {"K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "K9", "K10"}
)
"""Stages between the beginning of a batch and its commit; others are named alike in any mode."""
_LASTS: frozenset[CrashPoint] = frozenset({"K8", "K9"})
"""Before these points the sink has rows for good."""


def name_real_time(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points of a run, with K16 and K17 where it was in real-time mode; else as they were."""
    if not is_real_time(points):
        return tuple(points)
    plans = _plans(points)
    begun: set[int] = set()
    out: set[int] = set()
    named = []
    for point in points:
        in_sink = point.key.area in _SINK
        if in_sink and point.stage in _LASTS:
            out.add(point.batch)
        # When a batch is written down its tasks have ended: what they had to say is said.
        left = out if in_sink else begun
        if point.batch == STARTING or point.stage not in _OF_A_BATCH:
            named.append(point)
        elif point.number > plans.get(point.batch, point.number):
            named.append(replace(point, stage="K17"))
        else:
            named.append(replace(point, stage="K16") if point.batch in left else point)
        if _is_row(point):
            begun.add(point.batch)
    return tuple(named)


def is_real_time(points: Sequence[Point]) -> bool:
    """Whether every row left before the plan of its own batch.

    Rows of a micro-batch come after its plan. Those of a sink that returns too early may come
    before the plan of the next batch, but the last ones then belong to a batch without any. A batch
    with input and no row proves nothing, unless it is the first, which may have come too early.
    """
    plans = _plans(points)
    rows = [point for point in points if _is_row(point)]
    if not rows or any(point.number > plans.get(point.batch, 0) for point in rows):
        return False
    without_input = {point.batch for point in points if point.stage == "K15"}
    silent = plans.keys() - without_input - {point.batch for point in rows}
    return silent <= {min(plans)}


def _plans(points: Sequence[Point]) -> dict[int, int]:
    """The number of the point at which the plan of each batch becomes visible."""
    return {point.batch: point.number for point in points if is_plan(point.key, point.batch)}


def _is_row(point: Point) -> bool:
    """Whether something is written to the sink; a folder that is made there is no row yet."""
    return point.key.area in _SINK and point.key.call != "mkdir" and point.batch != STARTING
