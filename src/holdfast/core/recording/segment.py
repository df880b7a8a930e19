"""Segments: files of JSON lines that only grow, each bounded in size, and bounded in number.

    progress/00000000000000000007-00000000.jsonl     epoch 7, its first segment
    progress/00000000000000000007-00000001.jsonl     its second

A segment is written whole every time, never appended to: object stores cannot append, and a reader
sees the old file or the new one. Names sort in the order in which segments were begun.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

PROGRESS: Final = "progress"
SEALS: Final = "seals"

SEGMENT_BYTES_MAX: Final = 256 * 1024
"""A full segment. The open one is written whole at each flush; this much is one quick request."""

LINE_BYTES_MAX: Final = 4 * 1024 * 1024
"""One line. The progress of a Kafka source names each partition three times: 10,000 of them take
600 kB."""

WAITING_BYTES_MAX: Final = 8 * 1024 * 1024
"""What waits in memory while the store gives no answer: an hour of ordinary progress."""

PROGRESS_SEGMENTS_MAX: Final = 128
"""32 MiB: some 20,000 batches of an ordinary query."""

SEAL_SEGMENTS_MAX: Final = 16
"""4 MiB: some 15,000 batches; Spark keeps the logs of 100."""

FLUSH_INTERVAL_S: Final = 1.0
"""Between two writes of the open segment; what is newer is lost when the process is killed."""

FLUSH_INTERVAL_REMOTE_S: Final = 10.0
"""The same where each write is a request that costs money: on S3 about 0.05 USD a day."""

_SUFFIX: Final = ".jsonl"
_EPOCH_DIGITS: Final = 20
_SEQUENCE_DIGITS: Final = 8
_NAME: Final = re.compile(r"[0-9]{20}-[0-9]{8}\.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """What could be read, oldest first, and how many lines could not."""

    lines: tuple[Mapping[str, Any], ...]
    damaged: int


def segment_name(epoch: int, sequence: int) -> str:
    """The name of a segment inside its folder."""
    return f"{epoch:0{_EPOCH_DIGITS}d}-{sequence:0{_SEQUENCE_DIGITS}d}{_SUFFIX}"


def segment_epoch(name: str) -> int:
    """The epoch that began a segment, by its name."""
    return int(name[:_EPOCH_DIGITS])


def segment_sequence(name: str) -> int:
    """Which of its epoch's segments it is, from 0."""
    return int(name[_EPOCH_DIGITS + 1 :].removesuffix(_SUFFIX))


def segment_names(names: Iterable[str]) -> list[str]:
    """The segments among the names of a folder, oldest first; what others put there is let be."""
    return sorted(filter(_NAME.fullmatch, names))


def encode_line(line: Mapping[str, Any]) -> bytes:
    """One line; what JSON does not know is written as its text. Raises ValueError for a circle."""
    return json.dumps(line, separators=(",", ":"), default=str).encode() + b"\n"


def decode_lines(data: bytes) -> Lines:
    """Read a segment; a line that is torn or damaged is passed over and counted."""
    found: list[Mapping[str, Any]] = []
    damaged = 0
    for text in data.split(b"\n"):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            found.append(value)
        else:
            damaged += 1
    return Lines(lines=tuple(found), damaged=damaged)
