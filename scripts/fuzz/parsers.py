"""Every parser that meets bytes from storage, with the golden files that belong to it."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cramjam

from holdfast.adapters.codecs.crc32c import crc32c
from holdfast.adapters.codecs.unpack import sniff_codec, unpack
from holdfast.core.formats.changelog import CHANGELOG_HEADER_BYTES_MAX, parse_changelog_header
from holdfast.core.formats.checksum import (
    has_usual_chunks,
    parse_spark_checksum,
    verify_hadoop_crc,
    verify_spark_checksum,
)
from holdfast.core.formats.commit_log import parse_commit_entry
from holdfast.core.formats.compactible_log import parse_compactible_name
from holdfast.core.formats.delta_schema_log import parse_delta_schema_log
from holdfast.core.formats.file_sink_log import parse_file_sink_log
from holdfast.core.formats.file_source_log import parse_file_source_log
from holdfast.core.formats.initial_offset import (
    parse_iceberg_initial_offset,
    parse_kafka_initial_offset,
    parse_rate_start,
)
from holdfast.core.formats.log_name import (
    batch_id_of,
    checksum_target,
    is_temporary,
    temporary_target,
)
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.core.formats.operator_metadata import parse_operator_metadata
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.formats.rocksdb_zip import parse_rocksdb_zip, verify_members
from holdfast.core.formats.state_name import is_schema_name, split_state_name
from holdfast.core.formats.state_schema import describe_struct, parse_state_schema
from holdfast.core.limits import MIB
from holdfast.core.offsets.kind import SourceTrace, advances, amount, compare
from holdfast.core.offsets.registry import interpret_offset
from holdfast.errors import CheckpointError, MalformedError

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
_CORPUS_MAX = 400
_TRACES: tuple[SourceTrace, ...] = (
    "file-log",
    "initial-offset",
    "start-time",
    "iceberg",
    "kinesis",
)
_ICEBERG = b'{"version":1,"snapshot_id":8274659274652,"position":3,"scan_all_files":true}'
_KINESIS = (
    b'{"metadata":{"streamName":"s","batchId":"4"},"shardId-000000000000":{"iteratorType":'
    b'"AFTER_SEQUENCE_NUMBER","iteratorPosition":"49590338271490256608559692538361571095921575989"}}'
)


@dataclass(frozen=True, kw_only=True)
class Target:
    """One parser; `corpus` are sound inputs, and only `allowed` may be raised."""

    name: str
    corpus: tuple[bytes, ...]
    parse: Callable[[bytes, bytes], object]
    """Called with the damaged input and another, sound or not."""
    allowed: tuple[type[Exception], ...] = (CheckpointError,)


def all_targets(chance: random.Random) -> list[Target]:
    """Every parser that has something to chew on."""
    files = {path: path.read_bytes() for path in _golden_files()}
    found = [
        Target(name=name, corpus=_some(files, pattern, chance), parse=_single(parse))
        for name, (pattern, parse) in _BY_PATH.items()
    ]
    found += [_offsets(files, chance), _names(files, chance), *_codecs(files, chance)]
    found.append(_iceberg())
    empty = [target.name for target in found if not target.corpus]
    assert not empty, f"no golden file for {empty}"
    return found


def _golden_files() -> Iterator[Path]:
    for done in sorted(GOLDEN.glob("*/*/expected.json")):
        yield from (path for path in sorted(done.parent.rglob("*")) if path.is_file())


def _some(files: dict[Path, bytes], pattern: str, chance: random.Random) -> tuple[bytes, ...]:
    fitting = re.compile(pattern)
    found = sorted({data for path, data in files.items() if fitting.search(path.as_posix())})
    return tuple(chance.sample(found, min(len(found), _CORPUS_MAX)))


def _single(parse: Callable[[bytes], object]) -> Callable[[bytes, bytes], object]:
    return lambda damaged, other: parse(damaged)


def _parse_schema(data: bytes) -> object:
    schema = parse_state_schema(data)
    return [
        (describe_struct(family.key), describe_struct(family.value))
        for family in schema.column_families
    ]


def _parse_zip(data: bytes) -> object:
    snapshot = parse_rocksdb_zip(data)
    problem = verify_members(data)
    if problem is not None:
        raise MalformedError(problem)
    return snapshot


def _parse_changelog(data: bytes) -> object:
    codec = sniff_codec(data)
    if codec is None:
        return None
    return parse_changelog_header(unpack(data, codec, CHANGELOG_HEADER_BYTES_MAX).content)


def _check_hadoop(data: bytes) -> object:
    return (
        verify_hadoop_crc(data, data),
        verify_hadoop_crc(b"x" * 600, data),
        has_usual_chunks(data),
    )


def _check_spark(data: bytes) -> object:
    return verify_spark_checksum(data, parse_spark_checksum(data), crc32c)


_BY_PATH: dict[str, tuple[str, Callable[[bytes], object]]] = {
    "query_metadata": (r"/checkpoint/metadata$", parse_query_metadata),
    "offset_log": (r"/offsets/\d+$", parse_offset_entry),
    "commit_log": (r"/commits/\d+$", parse_commit_entry),
    "operator_metadata": (r"/_metadata/(metadata|v2/\d+)$", parse_operator_metadata),
    "state_schema": (r"/_metadata/schema$|/_stateSchema/.*/\d+_[^.]*$", _parse_schema),
    "changelog": (r"\.changelog$", _parse_changelog),
    "rocksdb_zip": (r"\.zip$", _parse_zip),
    "file_source_log": (r"/sources/\d+/\d+(\.compact)?$", parse_file_source_log),
    "file_sink_log": (r"/_spark_metadata/\d+(\.compact)?$", parse_file_sink_log),
    "kafka_initial_offset": (r"kafka.*/sources/\d+/0$", parse_kafka_initial_offset),
    "rate_start": (r"/rate/.*/sources/\d+/0$", parse_rate_start),
    "delta_schema_log": (r"/_schema_log_[^/]*/\d+$", parse_delta_schema_log),
    "hadoop_checksum": (r"/\.[^/]*\.crc$", _check_hadoop),
    "spark_checksum": (r"/[^./][^/]*\.crc$", _check_spark),
}


def _iceberg() -> Target:
    return Target(
        name="iceberg_initial_offset",
        corpus=(_ICEBERG,),
        parse=_single(parse_iceberg_initial_offset),
    )


def _offsets(files: dict[Path, bytes], chance: random.Random) -> Target:
    """Lines of plans, interpreted, then compared with one another; nothing may be raised."""
    plans = _some(files, r"/checkpoint/offsets/\d+$", chance)
    lines = {line.partition(b":")[2] or line for p in plans for line in p.splitlines()[2:]}
    lines |= {line for plan in plans for line in plan.splitlines()[2:]}
    lines |= {_KINESIS, _ICEBERG}

    def chew(damaged: bytes, other: bytes) -> object:
        texts = [raw.decode("utf-8", "replace") for raw in (damaged, other)]
        traces = frozenset(chance.sample(_TRACES, chance.randrange(3)))
        left, right = (interpret_offset(text, traces) for text in texts)
        left.kind.positions(left.value)
        if left.kind is not right.kind:
            return None
        moves = advances(left.kind, left.value, right.value)
        shown = [f"{m.start} {m.end} {m.amount}" for m in moves]
        return shown, amount(moves), compare(left.kind, left.value, right.value)

    return Target(name="source_offsets", corpus=tuple(sorted(lines)), parse=chew, allowed=())


def _names(files: dict[Path, bytes], chance: random.Random) -> Target:
    names = sorted({path.name.encode() for path in files})
    names.append(b".7.0f8fad5b-d9cb-469f-a165-70867728950e.TID3.tmp")

    def chew(damaged: bytes, other: bytes) -> object:
        name = damaged.decode("utf-8", "surrogateescape")
        return [
            read(name)
            for read in (
                batch_id_of,
                is_temporary,
                temporary_target,
                checksum_target,
                split_state_name,
                is_schema_name,
                parse_compactible_name,
            )
        ]

    return Target(name="names", corpus=tuple(names), parse=chew, allowed=())


def _codecs(files: dict[Path, bytes], chance: random.Random) -> Iterator[Target]:
    packed = _some(files, r"\.(delta|snapshot|changelog)$", chance)
    by_codec: dict[str, list[bytes]] = {"lz4": [], "zstd": [], "snappy": [], "lzf": []}
    for data in packed:
        codec = sniff_codec(data)
        if codec:
            by_codec[codec].append(data)
    text = b"some text, some text, some more text " * 40
    raw = bytes(cramjam.snappy.compress_raw(text))
    header = b"\x82SNAPPY\x00" + bytes((0, 0, 0, 1, 0, 0, 0, 1))
    by_codec["snappy"].append(header + len(raw).to_bytes(4, "big") + raw)
    by_codec["lzf"].append(b"ZV\x00" + len(text).to_bytes(2, "big") + text)
    by_codec["lzf"].append(b"ZV\x01\x00\x05\x00\x0a" + bytes((0, 97, 0xE0, 0, 0)))
    for codec, corpus in by_codec.items():
        yield Target(
            name=f"unpack_{codec}",
            corpus=tuple(corpus),
            parse=lambda damaged, other, codec=codec: unpack(damaged, codec, MIB),  # type: ignore[misc]
        )
