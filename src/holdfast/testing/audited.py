"""The audit as an assertion: a test fails where a job is not proven exactly once."""

from pathlib import Path

from holdfast.adapters.surroundings.process_environment import variables
from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.core.crash.event import tell_nobody
from holdfast.core.crash.outcome import Outcome
from holdfast.core.microbatch import CRASH_POINTS
from holdfast.errors import UsageError
from holdfast.testing.ending import fail

_SHOWN_MAX = 10
ALL = Wishes()


def assert_audit(
    subject: Subject,
    wishes: Wishes = ALL,
    *,
    folder: str | Path | None = None,
    complete: bool = True,
) -> Audited:
    """Audit a declared job or a program; fails with a report where it is not proven.

    The folder must be empty, such as pytest's tmp_path; in the cache by default. A sample of the
    crash points (wishes.quick, runs or points) proves nothing: with complete=False a sample is
    enough, if every point of it was killed and none does harm. Raises what `holdfast audit` does
    where it cannot be run.
    """
    if complete and (wishes.quick or wishes.points or wishes.runs is not None):
        raise UsageError(
            "a sample of the crash points proves nothing",
            next_action="leave quick, points and runs out, or say complete=False",
        )
    done = begin(
        subject,
        folder=None if folder is None else str(folder),
        wishes=wishes,
        environ=variables(),
        tell=tell_nobody,
    )
    if not _is_enough(done, complete):
        fail(report_of(done))
    return done


def report_of(done: Audited) -> str:
    """What an audit found, for whoever reads a failed test."""
    killed = f"{done.killed} of {len(done.points)} crash points killed"
    lines = [
        f"{done.verdict.kind.upper()}: {done.title}",
        f"  {killed}, {done.batches} batches, {done.rows} rows, seed {done.seed}",
        *(f"  {reason}" for reason in done.verdict.reasons),
    ]
    told = [outcome for outcome in done.outcomes if outcome.kind != "exact"]
    for outcome in told[:_SHOWN_MAX]:
        lines += _lines(outcome)
    if len(told) > _SHOWN_MAX:
        lines.append(f"  … and {len(told) - _SHOWN_MAX} more")
    lines.append(f"  kept in {done.folder}")
    return "\n".join(lines)


def _is_enough(done: Audited, complete: bool) -> bool:
    if complete or done.verdict.kind == "convicted":
        return done.verdict.kind == "proven"
    return 0 < done.killed == done.chosen


def _lines(outcome: Outcome) -> list[str]:
    point, rows = outcome.point, outcome.comparison
    lines = [
        f"  point {point.number}, batch {point.batch}: {outcome.kind}, killed before {point.text}",
        f"    {CRASH_POINTS[point.stage]}; {outcome.left}",
    ]
    if rows is not None:
        counts = f"{rows.lost} lost, {rows.duplicated} duplicated, {rows.changed} changed"
        lines.append(f"    rows: {counts}, {rows.unexpected} from nowhere")
    lines += [f"    {line}" for line in outcome.detail.splitlines()[-1:]]
    return [*lines, *(f"      {example}" for example in outcome.examples)]
