"""offsets/ and commits/: every version, every shape that Spark itself accepts or refuses."""

import pytest

from holdfast.core.batch_log import GAPS_MAX, BatchLog, read_batch_log
from holdfast.core.formats.commit_log import parse_commit_entry
from holdfast.core.formats.log_name import (
    are_unfinished,
    batch_id_of,
    checksum_target,
    is_temporary,
)
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.core.formats.operator_metadata import parse_operator_metadata
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.tree import Directory, make_tree
from holdfast.errors import MalformedError, NewerVersionError, TooLargeError

UUID = "4b41c017-66c9-4266-832e-b7bdca059b6e"


def test_offsets_of_spark_2_1_have_no_configuration() -> None:
    entry = parse_offset_entry(b'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1489085905815}\n2')
    assert (entry.watermark_ms, entry.timestamp_ms, dict(entry.conf)) == (0, 1489085905815, {})
    assert [source.text for source in entry.sources] == ["2"]


def test_offsets_before_2_2_may_have_an_empty_metadata_line() -> None:
    entry = parse_offset_entry(b'v1\n\n{"logOffset":0}\n-')
    assert (entry.watermark_ms, entry.timestamp_ms) == (None, None)
    assert [source.text for source in entry.sources] == ['{"logOffset":0}', None]


def test_offsets_v2_name_their_sources_up_to_the_first_colon() -> None:
    entry = parse_offset_entry(b'v2\n{"batchWatermarkMs":5,"conf":{}}\na:{"logOffset":0}\nb:-')
    assert [(s.name, s.text) for s in entry.sources] == [("a", '{"logOffset":0}'), ("b", None)]
    assert entry.version == 2


def test_lines_that_windows_ended_read_the_same() -> None:
    entry = parse_offset_entry(b'v1\r\n{"batchWatermarkMs":0}\r\n{"logOffset":3}\r\n')
    assert [source.text for source in entry.sources] == ['{"logOffset":3}']


def test_a_line_separator_inside_json_does_not_cut_the_line() -> None:
    line = '{"a\u2028b":{"0":1}}'
    entry = parse_offset_entry(f'v1\n{{"batchWatermarkMs":0}}\n{line}'.encode())
    assert [source.text for source in entry.sources] == [line]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", MalformedError),
        (b"v1", MalformedError),
        (b"v1\n{}", MalformedError),
        (b"v1\n{}\n", MalformedError),
        (b"v1\n[]\n1", MalformedError),
        (b'v1\n{"batchWatermarkMs":"x"}\n1', MalformedError),
        (b'v1\n{"batchWatermarkMs":true}\n1', MalformedError),
        (b'v1\n{"conf":[]}\n1', MalformedError),
        (b"v1\n{\n1", MalformedError),
        (b'v1\n{"batchWatermarkMs":NaN}\n1', MalformedError),
        (b"v2\n{}\nwithout id", MalformedError),
        (b"v2\n{}\n:1", MalformedError),
        (b"v1\n{}\n \n1", MalformedError),
        (b"v3\n{}\n1", NewerVersionError),
        (b"v0\n{}\n1", MalformedError),
        (b"v-1\n{}\n1", MalformedError),
        (b"v9999999999\n{}\n1", MalformedError),
        (b"1\n{}\n1", MalformedError),
        ("v١\n{}\n1".encode(), MalformedError),
        (b"v1\n{}\n\xff", MalformedError),
        (b"v1\n" + b"[" * 100_000 + b"\n1", TooLargeError),
    ],
)
def test_offsets_that_spark_could_not_read_are_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_offset_entry(data)


def test_commits_of_all_versions() -> None:
    assert parse_commit_entry(b"v1").next_watermark_ms == 0
    assert parse_commit_entry(b"v1\n{}").next_watermark_ms == 0
    assert parse_commit_entry(b'v1\n{"nextBatchWatermarkMs":7}').next_watermark_ms == 7
    second = parse_commit_entry(
        b'v2\n{"nextBatchWatermarkMs":0,"stateUniqueIds":{"0":[["a"],["b"]],"1":[["c","d"]]}}'
    )
    assert second.state_unique_ids == {0: (("a",), ("b",)), 1: (("c", "d"),)}
    third = parse_commit_entry(b'v3\n{"sinkMetadataMap":{"s":{"sinkName":"s","isActive":true}}}')
    assert (third.version, list(third.sinks)) == (3, ["s"])


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", MalformedError),
        (b"v4\n{}", NewerVersionError),
        (b"v1\n[]", MalformedError),
        (b'v2\n{"stateUniqueIds":[]}', MalformedError),
        (b'v2\n{"stateUniqueIds":{"x":[]}}', MalformedError),
        (b'v2\n{"stateUniqueIds":{"0":[[1]]}}', MalformedError),
        (b'v3\n{"sinkMetadataMap":[]}', MalformedError),
    ],
)
def test_commits_that_spark_could_not_read_are_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_commit_entry(data)


@pytest.mark.parametrize("data", [b"", b"{}", b'{"id":7}', b'{"id":"x"}', b"[]", b"\xff", b" \n"])
def test_metadata_must_hold_an_id(data: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_query_metadata(data)


@pytest.mark.parametrize(
    "data",
    [
        b"v1\n{}",
        b'v1\n{"operatorInfo":{},"stateStoreInfo":[]}',
        b'v1\n{"operatorInfo":{"operatorId":0,"operatorName":"x"},"stateStoreInfo":[1]}',
        b'v2\n{"operatorInfo":{"operatorId":0,"operatorName":"x"},"stateStoreInfo":'
        b'[{"storeName":"d","numPartitions":1,"stateSchemaFilePaths":[1]}]}',
    ],
)
def test_operator_metadata_must_be_whole(data: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_operator_metadata(data)


@pytest.mark.parametrize(
    ("name", "batch"),
    [
        ("0", 0),
        ("10", 10),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None),
        ("007", None),
        ("-1", None),
        ("+1", None),
        ("1.compact", None),
        ("٣", None),
        ("", None),
        ("1" * 5000, None),
    ],
)
def test_only_plain_digits_are_a_batch(name: str, batch: int | None) -> None:
    assert batch_id_of(name) == batch


@pytest.mark.parametrize(
    ("name", "temporary"),
    [
        (f".3.{UUID}.tmp", True),
        (f".3.delta.{UUID}.TID12.tmp", True),
        (f".{UUID}.tmp", True),
        ("temp-5", True),
        ("temp--5089463475236862133", True),
        (".3.crc", False),
        ("3", False),
        ("temp", False),
    ],
)
def test_temporary_files_of_every_era(name: str, temporary: bool) -> None:
    assert is_temporary(name) == temporary


def test_leftovers_of_writing_and_nothing_else() -> None:
    left = [f".0.{UUID}.tmp", f"..0.{UUID}.tmp.crc"]
    assert are_unfinished(left)
    assert not are_unfinished([*left, "0"])
    assert not are_unfinished([*left, ".0.crc"])
    assert not are_unfinished([*left, "notes"])


def test_checksums_point_at_what_they_cover() -> None:
    assert checksum_target(".3.crc") == "3"
    assert checksum_target("5.changelog.crc") == "5.changelog"
    assert checksum_target(".5.changelog.crc.crc") == "5.changelog.crc"
    assert checksum_target("3") is None


def log_of(names: list[str]) -> BatchLog:
    tree = make_tree("file:///x", [Directory("offsets", names)], {"offsets": 0})
    return read_batch_log(tree, "offsets")


def test_a_log_sorts_by_number_and_lists_its_gaps() -> None:
    names = ["10", "9", "2", ".9.crc", f".11.{UUID}.tmp", "notes.txt"]
    log = log_of(names)
    assert list(log.ids) == [2, 9, 10]
    assert (log.first, log.last, log.missing_count) == (2, 10, 6)
    assert log.gaps() == [3, 4, 5, 6, 7, 8]
    assert log.foreign == ("notes.txt",)
    assert log.unfinished(11) and not log.unfinished(10)


def test_a_huge_gap_is_counted_and_not_walked() -> None:
    names = ["0", str(2**62)]
    log = log_of(names)
    assert log.missing_count == 2**62 - 1
    assert log.gaps() == list(range(1, GAPS_MAX + 1))
