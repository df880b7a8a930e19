"""Where a source began: files that a source writes once, before its first batch.

Kafka   sources/<n>/0          KafkaSourceInitialOffsetWriter
rate    sources/<n>/0          RateStreamMicroBatchStream
Iceberg sources/<n>/offsets/0  SparkMicroBatchStream.InitialOffsetStore
"""

from dataclasses import dataclass
from typing import Final

from holdfast.core.formats.json_text import Json, decode_object, integer
from holdfast.core.formats.versioned_text import decode_text, split_version
from holdfast.errors import MalformedError, NewerVersionError

_KAFKA: Final = "the initial offset of the Kafka source"
_RATE: Final = "the start time of the rate source"
_ICEBERG: Final = "the initial offset of the Iceberg source"
_NEWEST: Final = 1
_LONG_DIGITS: Final = 19
_CONTENT_STARTS: Final = (b"v", b"{")


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaInitialOffset:
    """The offset of every partition: topic, then partition as text, then offset."""

    offsets: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateStart:
    """When the rate source was created; its rows are counted from there."""

    created_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IcebergInitialOffset:
    """Iceberg's StreamingOffset: a snapshot, a position in it, and whether it is read whole."""

    snapshot_id: int
    position: int
    scan_all_files: bool


def parse_kafka_initial_offset(data: bytes) -> KafkaInitialOffset:
    """Read `sources/<n>/0` of a Kafka source, as written by any Spark since 2.1.0."""
    content = _without_leading_byte(data)
    if content.startswith(b"v"):
        _, lines = split_version(content, _KAFKA, _NEWEST)
        text = "\n".join(lines)
    else:
        text = decode_text(content, _KAFKA)
    topics = decode_object(text, _KAFKA)
    return KafkaInitialOffset(offsets={topic: _partitions(topics, topic) for topic in topics})


def parse_rate_start(data: bytes) -> RateStart:
    """Read `sources/<n>/0` of a rate source: `v1` and the milliseconds since 1970."""
    _, lines = split_version(data, _RATE, _NEWEST)
    text = lines[0].strip() if len(lines) == 1 else ""
    if not (text.isascii() and text.isdigit()) or len(text) > _LONG_DIGITS:
        raise MalformedError(f"{_RATE} is not a whole number of milliseconds")
    return RateStart(created_ms=int(text))


def parse_iceberg_initial_offset(data: bytes) -> IcebergInitialOffset:
    """Read `sources/<n>/offsets/0` of an Iceberg source: StreamingOffset as bare JSON."""
    values = decode_object(decode_text(data, _ICEBERG), _ICEBERG)
    version = integer(values, "version", _ICEBERG)
    if version > _NEWEST:
        message = f"{_ICEBERG} has version {version}, newer than {_NEWEST}, the newest known here"
        raise NewerVersionError(message)
    if version < 1:
        raise MalformedError(f"{_ICEBERG} has the impossible version {version}")
    scan_all_files = values.get("scan_all_files")
    if not isinstance(scan_all_files, bool):
        raise MalformedError(f"{_ICEBERG}: 'scan_all_files' is not true or false")
    return IcebergInitialOffset(
        snapshot_id=integer(values, "snapshot_id", _ICEBERG),
        position=integer(values, "position", _ICEBERG),
        scan_all_files=scan_all_files,
    )


def _without_leading_byte(data: bytes) -> bytes:
    """Drop the one byte that Spark drops, unless the file plainly has none.

    Spark 2.1.0 wrote the length there, in one byte, and later versions write zero so that it
    can read them (SPARK-19517). The length may happen to be the letter v or a brace, so the
    second byte decides first.
    """
    if not data:
        raise MalformedError(f"{_KAFKA} is empty: it was created and never written")
    content = data[1:]
    if not content.startswith(_CONTENT_STARTS) and data.startswith(_CONTENT_STARTS):
        return data
    return content


def _partitions(topics: dict[str, Json], topic: str) -> dict[str, int]:
    partitions = topics[topic]
    if not isinstance(partitions, dict):
        raise MalformedError(f"{_KAFKA}: topic {topic[:80]!r} is not an object of partitions")
    what = f"{_KAFKA}, topic {topic[:80]!r}"
    for partition in partitions:
        if not (partition.isascii() and partition.isdigit()):
            raise MalformedError(f"{what}: {partition[:20]!r} is not a partition")
    return {partition: integer(partitions, partition, what) for partition in partitions}
