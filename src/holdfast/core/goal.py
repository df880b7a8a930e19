"""What somebody wants to do with a checkpoint; a verdict is always about one of them."""

from typing import Literal, get_args

Goal = Literal["resume", "replay", "backfill", "reset"]
OutputFate = Literal["cleared", "kept", "new"]
"""What becomes of the output at a reset: emptied first, left as it is, or written elsewhere."""

GOALS: tuple[Goal, ...] = get_args(Goal)

MEANINGS: dict[Goal, str] = {
    "resume": "start again from the checkpoint as it is",
    "replay": "process again from an earlier batch, with the output corrected to match",
    "backfill": "process a range of history beside the live query, into the same sink",
    "reset": "begin again from nothing",
}
