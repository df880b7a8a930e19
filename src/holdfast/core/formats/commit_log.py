"""`commits/N`: batch N is done, written after the sink returned (CommitLog).

v1 holds the next watermark; v2 (Spark 4.0, state checkpoint format 2) adds the unique ids of the
state files; v3 (Spark 4.2, sink evolution) adds which sinks the batch went to. A file with only
the version line is legal: CommitLog.deserialize then takes `{}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.formats.json_text import Json, decode_object, integer
from holdfast.core.formats.versioned_text import split_version
from holdfast.errors import MalformedError

NEWEST_VERSION = 3

UniqueIds = tuple[tuple[str, ...], ...]
"""For one operator: per partition, the id of each of its stores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitEntry:
    """One file of commits/."""

    version: int
    next_watermark_ms: int
    state_unique_ids: Mapping[int, UniqueIds]
    sinks: Mapping[str, Json]


def parse_commit_entry(data: bytes) -> CommitEntry:
    """Read one file of commits/."""
    version, lines = split_version(data, "the commits file", NEWEST_VERSION)
    body = "\n".join(lines)
    metadata = decode_object(body, "the commit") if body.strip() else {}
    sinks = metadata.get("sinkMetadataMap", {})
    if not isinstance(sinks, dict):
        raise MalformedError("the commit: 'sinkMetadataMap' is not an object")
    return CommitEntry(
        version=version,
        next_watermark_ms=integer(metadata, "nextBatchWatermarkMs", "the commit", default=0),
        state_unique_ids=_unique_ids(metadata.get("stateUniqueIds")),
        sinks=sinks,
    )


def _unique_ids(value: Json) -> dict[int, UniqueIds]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MalformedError("the commit: 'stateUniqueIds' is not an object")
    result: dict[int, UniqueIds] = {}
    for operator, partitions in value.items():
        if not (operator.isascii() and operator.isdigit() and len(operator) < 10):
            raise MalformedError("the commit: 'stateUniqueIds' names an operator that is no number")
        if not isinstance(partitions, list) or not all(map(_is_id_list, partitions)):
            raise MalformedError("the commit: 'stateUniqueIds' is not a list of lists of ids")
        result[int(operator)] = tuple(tuple(stores) for stores in partitions)
    return result


def _is_id_list(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
