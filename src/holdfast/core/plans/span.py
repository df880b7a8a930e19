"""A bounded range of a source: where a backfill begins and where it ends, as a plan spells it.

The range becomes the plan of a batch that was never run: Spark runs such a batch over exactly these
positions, as it does after a crash (MicroBatchExecution.populateStartOffsets), and with the trigger
`once` it runs no other.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Positions before and after, as they stand in a plan."""

    start: str | None
    """None for a source that begins at its first entry."""
    end: str
    amount: int
    """How much lies between."""
    unit: str
    files: Mapping[str, bytes]
    """Further files of the checkpoint that the range needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionOffset:
    """TOPIC:PARTITION:OFFSET, as Kafka's own tools spell it."""

    topic: str
    partition: int
    offset: int

    @classmethod
    def parse(cls, text: str) -> "PartitionOffset":
        """Read it; raises UsageError that shows the form."""
        topic, _, rest = text.partition(":")
        partition, _, offset = rest.partition(":")
        if not topic or not partition.isdigit() or not offset.isdigit():
            raise UsageError(
                f"{text!r} is no position",
                next_action="write TOPIC:PARTITION:OFFSET, orders:0:1500",
            )
        return cls(topic=topic, partition=int(partition), offset=int(offset))


def kafka_span(
    live: str, since: Sequence[PartitionOffset], until: Sequence[PartitionOffset]
) -> Span:
    """Records from the one up to the other; partitions that are not named give none."""
    known: dict[str, dict[str, int]] = json.loads(live)
    starts, ends = _by_partition(since), _by_partition(until)
    if starts.keys() != ends.keys() or not starts:
        raise UsageError(
            "each partition needs both ends of its range",
            next_action="--from-offset orders:0:1500 --to-offset orders:0:1700",
        )
    begin = {topic: dict(parts) for topic, parts in known.items()}
    end = {topic: dict(parts) for topic, parts in known.items()}
    amount = 0
    for (topic, partition), first in starts.items():
        last = ends[topic, partition]
        reached = known.get(topic, {}).get(str(partition))
        if reached is None:
            raise UsageError(f"the query reads no partition {partition} of {topic!r}")
        if not first < last <= reached:
            raise UsageError(
                f"{topic}:{partition}: {first:,} to {last:,} is no range that the query has "
                f"passed; it stands at {reached:,}",
                next_action="what lies after it the query reads by itself",
            )
        begin[topic][str(partition)], end[topic][str(partition)] = first, last
        amount += last - first
    return Span(start=_compact(begin), end=_compact(end), amount=amount, unit="records", files={})


def delta_span(live: str, first: int, last: int) -> Span:
    """Versions of a Delta table, both included, as changes that came after its first snapshot."""
    known: dict[str, Any] = json.loads(live)
    reached = int(known["reservoirVersion"])
    if not 0 <= first <= last < reached:
        raise UsageError(
            f"versions {first:,} to {last:,} are no range that the query has passed; it reads "
            f"version {reached:,} next",
            next_action="what comes after it the query reads by itself",
        )
    at = {"index": -1, "isStartingVersion": False}
    return Span(
        start=_compact({**known, **at, "reservoirVersion": first}),
        end=_compact({**known, **at, "reservoirVersion": last + 1}),
        amount=last - first + 1,
        unit="versions",
        files={},
    )


def file_span(source: str, files: Sequence[tuple[str, int]]) -> Span:
    """Files by URI and time of last change, as the log of a file source names them."""
    entries = [{"path": uri, "timestamp": changed_ms, "batchId": 0} for uri, changed_ms in files]
    log = "\n".join(["v1", *map(_compact, entries)])
    return Span(
        start=None,
        end='{"logOffset":0}',
        amount=len(files),
        unit="files",
        files={f"sources/{source}/0": log.encode()},
    )


def _by_partition(given: Sequence[PartitionOffset]) -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    for each in given:
        if (each.topic, each.partition) in found:
            raise UsageError(f"{each.topic}:{each.partition} is given twice")
        found[each.topic, each.partition] = each.offset
    return found


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
