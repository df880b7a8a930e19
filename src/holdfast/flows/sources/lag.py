"""lag: how far a query is behind each of its sources, and whether they still have the rest."""

import importlib
from dataclasses import dataclass

from holdfast.adapters.clock import now_ms
from holdfast.adapters.sources.opening import (
    open_kafka,
    parse_source,
)
from holdfast.adapters.storage.opening import shown
from holdfast.core.evidence.source_findings import source_findings
from holdfast.core.evidence.source_state import SourceState, sameness
from holdfast.core.finding import Finding
from holdfast.errors import RefusedError, UsageError
from holdfast.flows.locate import locate
from holdfast.flows.reading import read_checkpoint
from holdfast.flows.sources.asking import Asked, ask, declared_job, placed, remembered_of
from holdfast.flows.sources.positions import positions_of
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
    job, secrets = (
        declared_job(target.name, file, profile) if target.declared else (None, frozenset())
    )
    located = locate(target.checkpoint)
    look = read_checkpoint(located.storage, notes=located.notes)
    remembered = remembered_of(target.checkpoint)
    asked = placed(positions_of(located.storage, look), job, given, remembered)
    states = ask(asked, remembered, secrets)
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


def _mirror(group: str, asked: list[Asked], states: tuple[SourceState, ...]) -> Mirrored:
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
