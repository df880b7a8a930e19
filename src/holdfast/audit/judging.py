"""The judgement: what a job wrote against what it should have, and what a fault left behind."""

from collections import Counter

from holdfast.audit.recording import Recording
from holdfast.audit.room import Room, Workload
from holdfast.core.crash.comparison import Comparison, compare
from holdfast.core.crash.outcome import Outcome
from holdfast.core.crash.table import Cells, Table
from holdfast.core.finding import is_wrong
from holdfast.errors import CheckpointError, HoldfastError, UnreachableError
from holdfast.flows.show import show

_EXAMPLES = 3


def judge_output(workload: Workload, room: Room, recording: Recording) -> Outcome:
    """Hold the output of a job that is done against the right answer."""
    point = recording.points[0]
    try:
        found = room.output.read().without(recording.left_out)
    except UnreachableError as error:
        return Outcome(point=point, kind="unreadable", detail=error.message)
    comparison = compare_tables(recording.answer, found, workload.key)
    if comparison.is_equal:
        return Outcome(point=point, kind="exact", comparison=comparison)
    examples = examples_of(recording.answer, found)
    return Outcome(point=point, kind="wrong", comparison=comparison, examples=examples)


def compare_tables(expected: Table, found: Table, key: tuple[str, ...]) -> Comparison:
    """Hold one output against another as multisets; under a key rows can also be changed."""
    if expected.columns != found.columns and expected.rows and found.rows:
        names = ", ".join(sorted(set(expected.columns) ^ set(found.columns)))
        raise UnreachableError(f"the output has other columns than the answer: {names}")
    places = expected.positions(key)
    if not places:
        return compare(expected.rows, found.rows)
    return compare(expected.rows, found.rows, lambda row: tuple(row[i] for i in places))


def examples_of(expected: Table, found: Table) -> tuple[str, ...]:
    """Some rows that are too much, and some that are missing."""
    wanted, there = Counter(expected.rows), Counter(found.rows)
    columns = found.columns or expected.columns
    extra, lost = sorted((there - wanted).elements()), sorted((wanted - there).elements())
    told = [f"too much: {_told(columns, row)}" for row in extra[:_EXAMPLES]]
    return (*told, *(f"lost: {_told(columns, row)}" for row in lost[:_EXAMPLES]))


def _told(columns: tuple[str, ...], row: Cells) -> str:
    return ", ".join(f"{name}={value}" for name, value in zip(columns, row, strict=True))


def what_is_left(room: Room) -> str:
    """What the reader says of the checkpoint after a fault."""
    if not room.checkpoint.is_dir():
        return "no checkpoint yet"
    try:
        checkpoint = show(str(room.checkpoint)).checkpoint
    except CheckpointError as error:
        return error.message
    except HoldfastError as error:
        return f"could not be read: {error.message}"
    return checkpoint.death.text if checkpoint.death else "no batch in flight"


def is_named(room: Room) -> bool:
    """Whether the reader sees the damage: it says that a restart fails, or names what is wrong."""
    try:
        checkpoint = show(str(room.checkpoint)).checkpoint
    except CheckpointError:
        return True
    except HoldfastError:
        return False
    return checkpoint.restart.kind in ("refused", "rerun-then-fail") or is_wrong(
        checkpoint.warnings
    )
