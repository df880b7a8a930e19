"""Asking the sources of a checkpoint: which they are, where they are, and what they still have."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.sources.opening import kind_of_offset, read_source
from holdfast.core.evidence.source_state import SourceState
from holdfast.core.fact import Absent, Unreadable
from holdfast.core.job import UNDECLARED, Job, SourceSpec
from holdfast.core.secret_text import hide
from holdfast.errors import HoldfastError, UsageError
from holdfast.flows.declaration import load
from holdfast.flows.sources.positions import ReadOn
from holdfast.flows.sources.remembered import Remembered, remember_sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A source with all that is needed to ask it."""

    read_on: ReadOn
    spec: SourceSpec | None


def declared_job(name: str, file: str, profile: str | None) -> tuple[Job, frozenset[str]]:
    """A job of the declaration, and the values that must not be shown."""
    declaration = load(file, profile)
    return next(job for job in declaration.jobs if job.name == name), declaration.secrets


def remembered_of(checkpoint: str) -> Remembered:
    """What earlier runs wrote down about the sources."""
    try:
        return remember_sources(open_records(checkpoint))
    except HoldfastError:
        # Then nothing is known of earlier runs, and the answer says unknown, not same.
        return Remembered()


def placed(
    positions: Iterable[ReadOn],
    job: Job | None,
    given: list[SourceSpec],
    remembered: Remembered,
) -> list[Asked]:
    """Each source with where it is: as typed, as declared, or as an earlier run wrote it down."""
    left = list(given)
    found = []
    for read_on in positions:
        told = read_on.start or read_on.planned
        kind = kind_of_offset(told) if told is not None else None
        spec = next((each for each in left if each.format == kind), None)
        if spec is not None:
            left.remove(spec)
        elif job is not None and read_on.position == 0 and job.source.format != UNDECLARED:
            spec = job.source  # a declaration speaks of one source
        else:
            spec = remembered.spec(read_on.position)
        found.append(Asked(read_on=read_on, spec=spec))
    if left:
        raise UsageError(
            f"no source of this checkpoint is {left[0].format}, or it is named already",
            subject="--source",
            next_action="`holdfast show` says what kinds of sources it has",
        )
    return found


def _state(asked: Asked, remembered: Remembered) -> SourceState:
    read_on = asked.read_on
    return read_source(
        asked.spec,
        read_on.start,
        position=read_on.position,
        planned=read_on.planned,
        remembered=remembered.identity(read_on.position),
        file_log=read_on.file_log,
    )


def _hidden(state: SourceState, secrets: frozenset[str]) -> SourceState:
    """What libraries say may hold an address or a user that came from the environment."""
    problem = state.problem
    if problem is not None:
        problem = Unreadable(problem.origin, hide(problem.reason, secrets), problem.code)
    notes = tuple(hide(note, secrets) for note in state.notes)
    return replace(state, problem=problem, notes=notes)


def ask(
    asked: Iterable[Asked], remembered: Remembered, secrets: frozenset[str]
) -> tuple[SourceState, ...]:
    """What each of them still has; one that gives no answer says why."""
    return tuple(_hidden(_state(each, remembered), secrets) for each in asked)


def without_position(job: Job | None, given: list[SourceSpec]) -> list[Asked]:
    """Sources of a checkpoint that never planned a batch: all that is known is where they are."""
    declared = [job.source] if job is not None and job.source.format != UNDECLARED else []
    return [
        Asked(
            read_on=ReadOn(position=number, start=None, planned=None, file_log=Absent("sources/")),
            spec=spec,
        )
        for number, spec in enumerate(given or declared)
    ]
