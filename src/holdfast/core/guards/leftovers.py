"""HF222: what a kill during the very first plan left was put aside.

Spark writes a plan under a temporary name and renames it. Killed in between, at the very first
batch, it leaves a temporary file and no plan. Since 4.1 Spark then refuses to begin
(`verifyCheckpointDirectoryEmptyOnStart`, STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY): its check is
right where plans were lost, but here no batch ever ran, and the query could never start again.

Means: no batch was ever planned or committed, no state was written, and the logs hold temporary
files. They were moved to the job's records, under archive/, before the start.
Severity: warning.
Do: nothing.
"""

from collections.abc import Iterable

from holdfast.core.formats.log_name import are_unfinished
from holdfast.core.guard_finding import GuardFinding

CODE = "HF222"

EMPTY_AT_FIRST = ("offsets", "commits", "state")
"""Folders that Spark wants empty where it begins."""


def only_leftovers(names: Iterable[str]) -> tuple[str, ...]:
    """The names in those folders, where every one is a leftover; none where one is more."""
    inside = tuple(name for name in names if name.partition("/")[0] in EMPTY_AT_FIRST)
    return inside if are_unfinished([name.rpartition("/")[2] for name in inside]) else ()


def leftovers_put_aside(job: str, count: int) -> GuardFinding:
    """The finding."""
    return GuardFinding(
        code=CODE,
        severity="warning",
        job=job,
        message=f"the last run was killed during its very first plan; {count} temporary files of "
        "it were put aside, or Spark would have refused to begin",
        next_action="nothing: no batch had run",
    )
