"""The steps of a write of the files sink, for those who end it there."""

from collections.abc import Callable
from typing import Literal

Step = Literal["begin", "staged", "commit", "marked", "committed", "compact", "compacted"]
Steps = Callable[[Step], None]
"""Told of each step of a write as it is reached: it is known that the batch has to be written, its
files are written aside, they are durable and the mark comes next, the mark is there, readers see
the files; now and then pages of the ledger come next, and are made. What it raises ends the write
there."""


def no_steps(_step: Step) -> None:
    """The ordinary Steps: nobody listens."""
