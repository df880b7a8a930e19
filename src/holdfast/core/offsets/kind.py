"""The shape of a kind of source offset, and what any two offsets of a kind can say together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from holdfast.core.formats.json_text import Json

SourceTrace = Literal["file-log", "initial-offset", "start-time", "iceberg", "kinesis"]
"""What a source left in its private directory `sources/<n>`; it tells bare numbers apart."""

Order = Literal["same", "ahead", "behind", "mixed", "unknown"]


@dataclass(frozen=True, slots=True)
class Position:
    """One comparable part of an offset: a Kafka partition, a shard, or the whole."""

    labels: tuple[str, ...]
    order: tuple[int, ...] | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetKind:
    """How to read the offsets of one kind of source."""

    name: str
    label_names: tuple[str, ...]
    counts: str | None
    """What the difference of two positions counts (records, files...), None if nothing."""
    recognises: Callable[[Json, str, frozenset[SourceTrace]], bool]
    positions: Callable[[Json], tuple[Position, ...]]
    identity: Callable[[Json], str | None] = lambda value: None
    """What the offset belongs to (a Delta table's id), where it says so."""
    may_be_real_time: bool = True
    """False where Spark surely never reads such a source in real-time mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """From where to where one position goes in a batch; amount is None where not countable."""

    labels: tuple[str, ...]
    start: str | None
    end: str | None
    amount: int | None


def advances(kind: OffsetKind, start: Json | None, end: Json | None) -> tuple[Advance, ...]:
    """Pair the positions of two offsets; one that is new or gone has no other side."""
    before = {p.labels: p for p in kind.positions(start)} if start is not None else {}
    after = {p.labels: p for p in kind.positions(end)} if end is not None else {}
    comparable = start is None or end is None or kind.identity(start) == kind.identity(end)
    return tuple(
        _advance(kind, labels, before.get(labels), after.get(labels), comparable)
        for labels in sorted({**before, **after}, key=_natural)
    )


def amount(moves: Iterable[Advance]) -> int | None:
    """Add up the amounts; None as soon as one of them cannot be counted."""
    total = 0
    for move in moves:
        if move.amount is None:
            return None
        total += move.amount
    return total


def compare(kind: OffsetKind, left: Json, right: Json) -> Order:
    """Say where left stands relative to right; mixed when ahead here and behind there."""
    if left == right:
        return "same"
    if kind.identity(left) != kind.identity(right):
        return "unknown"
    lefts = {p.labels: p.order for p in kind.positions(left)}
    rights = {p.labels: p.order for p in kind.positions(right)}
    if lefts.keys() != rights.keys():
        return "mixed"
    signs = set()
    for labels, order in lefts.items():
        other = rights[labels]
        if order is None or other is None:
            return "unknown"
        signs.add((order > other) - (order < other))
    signs.discard(0)
    if not signs:
        # The positions agree and the JSON does not: fields that carry no position differ.
        return "same"
    if len(signs) == 2:
        return "mixed"
    return "ahead" if signs == {1} else "behind"


def _advance(
    kind: OffsetKind,
    labels: tuple[str, ...],
    before: Position | None,
    after: Position | None,
    comparable: bool,
) -> Advance:
    counted = None
    if kind.counts and comparable and before and after and before.order and after.order:
        counted = after.order[0] - before.order[0]
    return Advance(
        labels=labels,
        start=before.text if before else None,
        end=after.text if after else None,
        amount=counted,
    )


def _natural(labels: tuple[str, ...]) -> tuple[tuple[int, int, str], ...]:
    """Sort partition 10 after partition 9."""
    return tuple(
        (0, int(label), "")
        if label.isascii() and label.isdigit() and len(label) < 19
        else (1, 0, label)
        for label in labels
    )
