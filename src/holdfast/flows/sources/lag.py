"""lag: how far a query is behind each of its sources, and whether they still have the rest."""

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdfast.adapters.clock import now_ms
from holdfast.adapters.records.opening import open_records
from holdfast.adapters.sources.opening import (
    kind_of_offset,
    open_kafka,
    parse_source,
    read_source,
)
from holdfast.adapters.storage.opening import shown
from holdfast.core.evidence.source_findings import source_findings
from holdfast.core.evidence.source_state import SourceState, sameness
from holdfast.core.fact import Unreadable
from holdfast.core.finding import Finding
from holdfast.core.job import UNDECLARED, Job, SourceSpec
from holdfast.core.secret_text import hide
from holdfast.errors import HoldfastError, RefusedError, UsageError
from holdfast.flows.declaration import load
from holdfast.flows.locate import locate
from holdfast.flows.reading import read_checkpoint
from holdfast.flows.sources.positions import ReadOn, positions_of
from holdfast.flows.sources.remembered import Remembered, remember_sources
from holdfast.flows.targets import find_targets

_OFFSET_END = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """Offsets that were written as those of a consumer group."""

    group: str
    partitions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """The answer of `lag`."""

    name: str
    checkpoint: str
    batch: int | None
    """The newest batch that a restart takes as done; positions are those at its end."""
    sources: tuple[SourceState, ...]
    findings: tuple[Finding, ...]
    mirrored: Mirrored | None
    now_ms: int

    @property
    def is_known(self) -> bool:
        """Whether every source gave an answer."""
        return bool(self.sources) and all(state.problem is None for state in self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A source with all that is needed to ask it."""

    read_on: ReadOn
    spec: SourceSpec | None


def lag(
    typed: str,
    *,
    file: str,
    profile: str | None,
    sources: tuple[str, ...] = (),
    mirror_to: str | None = None,
) -> Lag:
    """Ask the sources of a job or checkpoint; writes nothing but the group that was asked for."""
    given = [parse_source(text) for text in sources]
    _, [target] = find_targets(typed, file=file, profile=profile)
    job, secrets = _declared(target.name, file, profile) if target.declared else (None, frozenset())
    located = locate(target.checkpoint)
    look = read_checkpoint(located.storage, notes=located.notes)
    remembered = _remembered(target.checkpoint)
    asked = _placed(positions_of(located.storage, look), job, given, remembered)
    states = tuple(_hidden(_state(each, remembered), secrets) for each in asked)
    moment = now_ms()
    findings = [finding for state in states for finding in source_findings(state, moment)]
    broken = [f for f in look.checkpoint.warnings if f.severity == "error"]
    return Lag(
        name=target.name,
        checkpoint=shown(look.checkpoint.location),
        batch=look.checkpoint.done_through,
        sources=states,
        findings=(*findings, *broken),
        mirrored=_mirror(mirror_to, asked, states) if mirror_to is not None else None,
        now_ms=moment,
    )


def _declared(name: str, file: str, profile: str | None) -> tuple[Job, frozenset[str]]:
    declaration = load(file, profile)
    return next(job for job in declaration.jobs if job.name == name), declaration.secrets


def _remembered(checkpoint: str) -> Remembered:
    try:
        return remember_sources(open_records(checkpoint))
    except HoldfastError:
        # Then nothing is known of earlier runs, and the answer says unknown, not same.
        return Remembered()


def _placed(
    positions: Iterable[ReadOn],
    job: Job | None,
    given: list[SourceSpec],
    remembered: Remembered,
) -> list[_Asked]:
    """Each source with where it is: as typed, as declared, or as an earlier run wrote it down."""
    left = list(given)
    placed = []
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
        placed.append(_Asked(read_on=read_on, spec=spec))
    if left:
        raise UsageError(
            f"no source of this checkpoint is {left[0].format}, or it is named already",
            subject="--source",
            next_action="`holdfast show` says what kinds of sources it has",
        )
    return placed


def _state(asked: _Asked, remembered: Remembered) -> SourceState:
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


def _mirror(group: str, asked: list[_Asked], states: tuple[SourceState, ...]) -> Mirrored:
    """Write the stored positions of every Kafka source as those of a group."""
    written = 0
    for each, state in zip(asked, states, strict=True):
        offset = each.read_on.start
        if state.kind != "kafka" or each.spec is None or offset is None:
            continue
        if state.problem is not None:
            raise RefusedError(
                f"nothing was written: {state.problem.reason}",
                subject=group,
                next_action="mend that first",
            )
        if sameness(state) == "other":
            raise RefusedError(
                "nothing was written: a topic is another one than the position was stored for",
                subject=group,
                next_action="`holdfast lag` without --mirror-to says which one",
            )
        there = {part.name for part in state.parts if part.latest is not None}
        parts = {
            (topic, int(number)): at
            for topic, offsets in offset.value.items()
            for number, at in offsets.items()
            if f"{topic}/{int(number)}" in there and 0 <= at < _OFFSET_END
        }
        if not parts:
            continue
        kafka_group = importlib.import_module("holdfast.adapters.sources.kafka_group")
        written += kafka_group.mirror_offsets(open_kafka(each.spec).client, group, parts)
    if not written:
        raise UsageError(
            "there is no position of a Kafka source to write",
            subject=f"--mirror-to {group}",
            next_action="`holdfast show` says what kinds of sources there are",
        )
    return Mirrored(group=group, partitions=written)
