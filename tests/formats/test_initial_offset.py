import pytest
from hypothesis import given

from holdfast.core.formats.initial_offset import (
    IcebergInitialOffset,
    parse_iceberg_initial_offset,
    parse_kafka_initial_offset,
    parse_rate_start,
)
from holdfast.errors import CheckpointError, MalformedError, NewerVersionError

from .spark_writers import mutations

OFFSETS = b'{"orders":{"0":23,"1":-2}}'
KAFKA = b"\x00v1\n" + OFFSETS
ICEBERG = b'{"version":1,"snapshot_id":8271497753230544300,"position":-1,"scan_all_files":true}'


@pytest.mark.parametrize(
    "data",
    [
        KAFKA,
        b"v1\n" + OFFSETS,
        OFFSETS,
        bytes([len(OFFSETS)]) + OFFSETS,
        b"v" + OFFSETS,
        b"{" + OFFSETS,
    ],
    ids=["zero byte", "no byte", "bare", "2.1.0", "2.1.0, length v", "2.1.0, length brace"],
)
def test_kafka_offsets_of_every_version(data: bytes) -> None:
    assert parse_kafka_initial_offset(data).offsets == {"orders": {"0": 23, "1": -2}}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        b"\x00v1",
        b"\x00[]",
        b'\x00{"a":1}',
        b'\x00{"a":{"x":1}}',
        b'\x00{"a":{"0":"1"}}',
    ],
)
def test_what_is_no_kafka_offset_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_kafka_initial_offset(data)


def test_a_newer_kafka_version_is_named() -> None:
    with pytest.raises(NewerVersionError):
        parse_kafka_initial_offset(b"\x00v2\n{}")


def test_the_rate_source_stores_its_creation() -> None:
    assert parse_rate_start(b"v1\n1794778669592").created_ms == 1794778669592


@pytest.mark.parametrize("rest", [b"", b"\n", b"\n1\n2", b"\n-1", b"\nx", b"\n" + b"9" * 5000])
def test_what_is_no_creation_time_is_refused(rest: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_rate_start(b"v1" + rest)


def test_iceberg_stores_bare_json() -> None:
    assert parse_iceberg_initial_offset(ICEBERG) == IcebergInitialOffset(
        snapshot_id=8271497753230544300, position=-1, scan_all_files=True
    )


@pytest.mark.parametrize(
    ("old", "new"), [(b"true", b"1"), (b'n":1', b'n":0'), (b"-1", b"null"), (b"{", b"[")]
)
def test_a_false_iceberg_field_is_refused(old: bytes, new: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_iceberg_initial_offset(ICEBERG.replace(old, new))


def test_a_newer_iceberg_version_is_named() -> None:
    with pytest.raises(NewerVersionError):
        parse_iceberg_initial_offset(ICEBERG.replace(b'n":1', b'n":2'))


@given(mutations(KAFKA), mutations(b"v1\n1794778669592"), mutations(ICEBERG))
def test_damaged_bytes_raise_only_checkpoint_errors(
    kafka: bytes, rate: bytes, iceberg: bytes
) -> None:
    for parse, data in (
        (parse_kafka_initial_offset, kafka),
        (parse_rate_start, rate),
        (parse_iceberg_initial_offset, iceberg),
    ):
        try:
            parse(data)
        except CheckpointError:
            pass
