"""`offsets/N`: the plan of batch N, written before it runs (OffsetSeqLog).

v1, every Spark since 2.1: a line of metadata, then one line per source in plan order, `-` where a
source has no position yet. v2, Spark 4.2 and newer (OffsetMap): each line is `<source id>:<json>`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.formats.json_text import Json, decode_object, integer, refuse_many_values
from holdfast.core.formats.versioned_text import split_version
from holdfast.core.limits import SOURCE_LINES_MAX
from holdfast.errors import MalformedError, TooLargeError

NEWEST_VERSION = 2
NO_POSITION = "-"
_POSITION_DIGITS_MAX = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """The end position of one source, as written; text is None for a source without one yet."""

    position: int
    name: str | None
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetEntry:
    """One file of offsets/. Times are None in files of Spark before 2.2, which lack the line."""

    version: int
    watermark_ms: int | None
    timestamp_ms: int | None
    conf: Mapping[str, str]
    sources: tuple[SourceLine, ...]
    control: Mapping[str, Json] | None = None


def parse_offset_entry(data: bytes) -> OffsetEntry:
    """Read one file of offsets/."""
    version, lines = split_version(data, "the offsets file", NEWEST_VERSION)
    if not lines:
        raise MalformedError("the offsets file ends after its version line")
    # Every version of Spark ends the file with the last source, so a last line that is blank is
    # not a source; a blank metadata line is what Spark before 2.2 wrote.
    metadata = decode_object(lines[0], "the metadata line") if lines[0].strip() else {}
    body = lines[1:]
    if not body:
        raise MalformedError("the offsets file ends before the position of its first source")
    if len(body) > SOURCE_LINES_MAX:
        raise TooLargeError(f"the offsets file has more than {SOURCE_LINES_MAX:,} sources")
    refuse_many_values("\n".join(body), "the offsets file")
    control = metadata.get("controlBatchInfo")
    return OffsetEntry(
        version=version,
        watermark_ms=_time(metadata, "batchWatermarkMs"),
        timestamp_ms=_time(metadata, "batchTimestampMs"),
        conf=_conf(metadata),
        sources=_positional(body) if version == 1 else _named(body),
        control=control if isinstance(control, dict) else None,
    )


def _time(metadata: dict[str, Json], key: str) -> int | None:
    if not metadata:
        return None
    return integer(metadata, key, "the metadata line", default=0)


def _conf(metadata: dict[str, Json]) -> dict[str, str]:
    conf = metadata.get("conf", {})
    if not isinstance(conf, dict):
        raise MalformedError("the metadata line: 'conf' is not an object")
    return {key: value if isinstance(value, str) else str(value) for key, value in conf.items()}


def _positional(lines: list[str]) -> tuple[SourceLine, ...]:
    return tuple(
        SourceLine(position=i, name=None, text=None if line == NO_POSITION else _text(line, i))
        for i, line in enumerate(lines)
    )


def _named(lines: list[str]) -> tuple[SourceLine, ...]:
    sources: list[SourceLine] = []
    for i, line in enumerate(lines):
        name, colon, text = line.partition(":")
        if not colon or not name:
            raise MalformedError(f"source line {i} of a v2 offsets file has no source id")
        sources.append(
            SourceLine(position=i, name=name, text=None if text == NO_POSITION else _text(text, i))
        )
    if all(source.name and _is_position(source.name) for source in sources):
        # Without source evolution the ids are positions, and the map has no order of its own.
        return tuple(
            SourceLine(position=int(source.name or 0), name=None, text=source.text)
            for source in sorted(sources, key=lambda source: int(source.name or 0))
        )
    return tuple(sources)


def _is_position(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= _POSITION_DIGITS_MAX


def _text(line: str, position: int) -> str:
    if not line.strip():
        raise MalformedError(f"the position of source {position} is blank")
    return line
