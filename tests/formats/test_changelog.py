import struct

import pytest
from hypothesis import given

from holdfast.core.formats.changelog import (
    CHANGELOG_HEADER_BYTES_MAX,
    LineageItem,
    parse_changelog_header,
)
from holdfast.errors import CheckpointError, MalformedError, NewerVersionError

from .spark_writers import mutations, write_utf

LINEAGE = '[{"version":1,"checkpointUniqueId":"a"},{"version":2,"checkpointUniqueId":"b"}]'
RECORD = struct.pack(">i", 3) + b"key" + struct.pack(">i", 5) + b"value"
V4 = write_utf("v4") + write_utf(LINEAGE) + b"\x01" + RECORD + b"\x00"


@pytest.mark.parametrize(
    "head",
    [
        RECORD,
        struct.pack(">i", -1),
        struct.pack(">i", 0x0003_0000) + b"key",
        struct.pack(">i", 0x0002_7629) + b"key",
        struct.pack(">i", 0x0001_8000) + b"key",
        write_utf("v99999"),
        write_utf("version"),
        write_utf("v1"),
        b"\x00",
    ],
    ids=["short key", "no record", "long key", "v)", "no utf", "no short", "word", "v1", "cut"],
)
def test_whatever_is_no_version_is_v1(head: bytes) -> None:
    header = parse_changelog_header(head)
    assert (header.version, header.lineage) == (1, ())


def test_v2_has_a_version_and_no_lineage() -> None:
    header = parse_changelog_header(write_utf("v2") + b"\x01" + RECORD)
    assert (header.version, header.lineage) == (2, ())


@pytest.mark.parametrize("version", [3, 4])
def test_v3_and_v4_carry_their_lineage(version: int) -> None:
    header = parse_changelog_header(write_utf(f"v{version}") + write_utf(LINEAGE) + RECORD)
    assert header.version == version
    assert header.lineage == (
        LineageItem(version=1, unique_id="a"),
        LineageItem(version=2, unique_id="b"),
    )


def test_the_longest_header_fits_the_named_length() -> None:
    longest = "[" + " " * 65_533 + "]"
    head = write_utf("v4") + write_utf(longest)
    assert len(head) == CHANGELOG_HEADER_BYTES_MAX
    assert parse_changelog_header(head).lineage == ()


@pytest.mark.parametrize("lineage", ["{}", "[1]", '[{"version":"1"}]', '[{"version":1}]', "["])
def test_a_false_lineage_is_refused(lineage: str) -> None:
    with pytest.raises(MalformedError, match="lineage"):
        parse_changelog_header(write_utf("v3") + write_utf(lineage))


def test_a_cut_lineage_is_refused() -> None:
    with pytest.raises(MalformedError, match="cut short"):
        parse_changelog_header((write_utf("v3") + write_utf(LINEAGE))[:-1])


def test_a_newer_version_is_named() -> None:
    with pytest.raises(NewerVersionError, match="v5"):
        parse_changelog_header(write_utf("v5"))


@pytest.mark.parametrize("head", [b"", write_utf("v0")])
def test_nothing_and_version_zero_are_refused(head: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_changelog_header(head)


@given(mutations(V4))
def test_damaged_bytes_raise_only_checkpoint_errors(head: bytes) -> None:
    try:
        parse_changelog_header(head)
    except CheckpointError:
        pass
