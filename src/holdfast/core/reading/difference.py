"""Two checkpoints side by side: same lineage or not, where they part, what differs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from holdfast.core.checkpoint import Checkpoint, SourcePosition
from holdfast.core.fact import Content, Fact, Known
from holdfast.core.formats.state_schema import StateSchema, describe_struct
from holdfast.core.offsets.kind import Order, compare
from holdfast.core.reading.operator_schemas import OperatorSchemas

Lineage = Literal["same", "parted", "different", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDifference:
    """One source in both: where the left one stands, seen from the right one."""

    position: int
    kinds: tuple[str | None, str | None]
    texts: tuple[str | None, str | None]
    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A named thing with its value on either side, None where it is not there."""

    name: str
    left: str | None
    right: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Left against right."""

    lineage: Lineage
    last_equal_batch: int | None
    first_unequal_batch: int | None
    logs: tuple[Change, ...]
    sources: tuple[SourceDifference, ...]
    conf: tuple[Change, ...]
    operators: tuple[Change, ...]
    schemas: tuple[Change, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all differs."""
        return self.lineage == "same" and not (
            self.conf
            or self.operators
            or self.schemas
            or any(change.left != change.right for change in self.logs)
            or any(source.order != "same" for source in self.sources)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: the checkpoint, its plans by batch, its schemas."""

    checkpoint: Checkpoint
    plans: Mapping[int, Content]
    schemas: tuple[OperatorSchemas, ...]


def compare_checkpoints(left: Side, right: Side) -> Difference:
    """Compare two checkpoints."""
    equal, unequal = _parting(left, right)
    return Difference(
        lineage=_lineage(left.checkpoint, right.checkpoint, unequal),
        last_equal_batch=equal,
        first_unequal_batch=unequal,
        logs=_logs(left.checkpoint, right.checkpoint),
        sources=_sources(left.checkpoint, right.checkpoint),
        conf=_changes(_conf(left.checkpoint), _conf(right.checkpoint)),
        operators=_changes(_operators(left.checkpoint), _operators(right.checkpoint)),
        schemas=_changes(_schemas(left.schemas), _schemas(right.schemas)),
    )


def _parting(left: Side, right: Side) -> tuple[int | None, int | None]:
    """The newest batch whose plans are equal to the byte, and the oldest whose plans are not."""
    equal = unequal = None
    for batch in sorted(left.plans.keys() & right.plans.keys()):
        if left.plans[batch] == right.plans[batch]:
            equal = batch if unequal is None else equal
        elif unequal is None:
            unequal = batch
    return equal, unequal


def _lineage(left: Checkpoint, right: Checkpoint, unequal: int | None) -> Lineage:
    if not isinstance(left.query_id, Known) or not isinstance(right.query_id, Known):
        return "unknown"
    if left.query_id.value != right.query_id.value:
        return "different"
    return "same" if unequal is None else "parted"


def _logs(left: Checkpoint, right: Checkpoint) -> tuple[Change, ...]:
    def rows(checkpoint: Checkpoint) -> dict[str, str]:
        return {
            "query id": _said(checkpoint.query_id),
            "last planned": _number(checkpoint.offsets.last),
            "last committed": _number(checkpoint.commits.last),
            "in flight": _number(checkpoint.in_flight),
            "offsets version": _version(checkpoint.plan),
            "commits version": _version(checkpoint.commit),
        }

    lefts, rights = rows(left), rows(right)
    return tuple(Change(name=key, left=lefts[key], right=rights[key]) for key in lefts)


def _sources(left: Checkpoint, right: Checkpoint) -> tuple[SourceDifference, ...]:
    lefts, rights = _keyed(left.sources), _keyed(right.sources)
    result = []
    for index, key in enumerate({**lefts, **rights}):
        one, other = lefts.get(key), rights.get(key)
        result.append(
            SourceDifference(
                position=index,
                kinds=(_kind(one), _kind(other)),
                texts=(_text(one), _text(other)),
                order=_order(one, other),
            )
        )
    return tuple(result)


def _keyed(sources: tuple[SourcePosition, ...]) -> dict[str, SourcePosition]:
    return {s.name if s.name is not None else str(s.position): s for s in sources}


def _order(left: SourcePosition | None, right: SourcePosition | None) -> Order:
    if left is None or right is None or left.offset is None or right.offset is None:
        none_at_all = left is not None and right is not None and left.offset is right.offset
        return "same" if none_at_all else "unknown"
    if left.offset.kind is not right.offset.kind:
        return "unknown"
    return compare(left.offset.kind, left.offset.value, right.offset.value)


def _conf(checkpoint: Checkpoint) -> Mapping[str, str]:
    return checkpoint.plan.value.conf if isinstance(checkpoint.plan, Known) else {}


def _operators(checkpoint: Checkpoint) -> dict[str, str]:
    return {
        f"state {operator.files.operator_id}": ", ".join(
            (
                operator.name or "name unknown",
                f"{operator.partitions} partitions",
                f"stores {' '.join(operator.store_names)}",
                operator.files.provider or "no data",
            )
        )
        for operator in checkpoint.operators
    }


def _schemas(schemas: tuple[OperatorSchemas, ...]) -> dict[str, str]:
    result: dict[str, str] = {}
    for operator in schemas:
        for path, fact in operator.files.items():
            if isinstance(fact, Known):
                store = path.split("/")[3] if path.count("/") > 4 else "default"
                result.update(_families(f"state {operator.operator_id} {store}", fact.value))
    return result


def _families(prefix: str, schema: StateSchema) -> dict[str, str]:
    return {
        f"{prefix} {family.name}": (
            f"{describe_struct(family.key)} -> {describe_struct(family.value)}"
        )
        for family in schema.column_families
    }


def _changes(left: Mapping[str, str], right: Mapping[str, str]) -> tuple[Change, ...]:
    return tuple(
        Change(name=key, left=left.get(key), right=right.get(key))
        for key in sorted({*left, *right})
        if left.get(key) != right.get(key)
    )


def _number(batch: int | None) -> str:
    return "none" if batch is None else str(batch)


def _said(fact: Fact[str]) -> str:
    return fact.value if isinstance(fact, Known) else "unknown"


def _version(fact: Fact[Any]) -> str:
    return f"v{fact.value.version}" if isinstance(fact, Known) else "unknown"


def _kind(source: SourcePosition | None) -> str | None:
    return source.offset.kind.name if source and source.offset else None


def _text(source: SourcePosition | None) -> str | None:
    return source.offset.text if source and source.offset else None
