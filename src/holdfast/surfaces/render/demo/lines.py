"""The demo while it works: a line for each thing it does, on standard error."""

import sys

from holdfast.core.demo.event import (
    BatchQueryStarted,
    DemoEvent,
    JobSeen,
    KillDone,
    KillMissed,
    ProjectWritten,
    RunStarted,
)
from holdfast.surfaces.render.words import count, plain


def tell_demo(event: DemoEvent) -> None:
    """Say what it does now."""
    sys.stderr.write(f"{plain(_line(event))}\n")
    sys.stderr.flush()


def _line(event: DemoEvent) -> str:
    match event:
        case ProjectWritten():
            files = count(event.files, "file")
            return f"wrote {event.folder}, with {event.lines:,} readings in {files}"
        case RunStarted(number=1):
            return "holdfast run --once: three jobs (Spark starts, some seconds)"
        case RunStarted():
            return "holdfast run --once: again"
        case JobSeen(job=job):
            return f"  {job} runs"
        case KillMissed(batch=batch):
            return f"  batch {batch:,} was over too soon; trying the next one"
        case KillDone(batch=batch):
            return f"  SIGKILL in the middle of batch {batch:,}: all of it is gone"
        case BatchQueryStarted():
            return "asking one batch query over all the input for the right answer"
