import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.codecs.crc32c import crc32c
from holdfast.core.formats.checksum import (
    SparkChecksum,
    parse_spark_checksum,
    verify_hadoop_crc,
    verify_spark_checksum,
)
from holdfast.errors import CheckpointError, MalformedError, NewerVersionError

from .spark_writers import mutations

DATA = bytes(range(256)) * 5
# Written by Spark 4.2.0 beside a changelog.
SPARK = (
    b'{"algorithm":"CRC32C","value":-1835089907,"mainFileSize":165,"timestampMs":1794778411000,'
    b'"creator":{"executorId":"driver","taskInfo":"Task= 0.0, Stage= 44.0"}}'
)


def hadoop_crc(data: bytes, chunk: int = 512) -> bytes:
    starts = range(0, len(data), chunk)
    sums = [struct.pack(">I", zlib.crc32(data[start : start + chunk])) for start in starts]
    return b"crc\x00" + struct.pack(">i", chunk) + b"".join(sums)


@pytest.mark.parametrize("data", [b"", b"a", DATA, DATA[:1024]])
def test_an_untouched_file_agrees_with_hadoop(data: bytes) -> None:
    assert verify_hadoop_crc(data, hadoop_crc(data)) is None


def test_a_real_hadoop_checksum_agrees() -> None:
    # commits/0 and .0.crc of Spark 4.2.0 on a local disk.
    data = b'v1\n{"nextBatchWatermarkMs":0}'
    assert verify_hadoop_crc(data, bytes.fromhex("6372630000000200f32abfdd")) is None


def test_the_changed_chunk_is_named() -> None:
    changed = DATA[:700] + b"!" + DATA[701:]
    assert verify_hadoop_crc(changed, hadoop_crc(DATA)) == (
        "bytes 512 to 1023 differ from their checksum"
    )


def test_the_last_chunk_may_be_short() -> None:
    assert verify_hadoop_crc(DATA[:-1] + b"!", hadoop_crc(DATA)) == (
        "bytes 1024 to 1279 differ from their checksum"
    )


@pytest.mark.parametrize("data", [DATA[:100], DATA * 2, b""])
def test_another_length_is_said(data: bytes) -> None:
    problem = verify_hadoop_crc(data, hadoop_crc(DATA))
    assert problem is not None
    assert f"{len(data)} bytes need" in problem


@pytest.mark.parametrize(
    "crc_file",
    [b"", b"crc\x00\x00", b"CRC\x00\x00\x00\x02\x00", hadoop_crc(DATA)[:-1], b"crc\x00" + bytes(4)],
)
def test_a_damaged_checksum_file_is_no_verdict(crc_file: bytes) -> None:
    with pytest.raises(MalformedError):
        verify_hadoop_crc(DATA, crc_file)


def test_spark_checksum_is_read() -> None:
    assert parse_spark_checksum(SPARK) == SparkChecksum(
        algorithm="CRC32C", value=-1835089907, file_size_bytes=165
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"-1835089907", b"2147483648"), (b"165", b"true"), (b'"CRC32C"', b"1"), (b"{", b"[")],
)
def test_a_false_spark_checksum_is_refused(old: bytes, new: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_spark_checksum(SPARK.replace(old, new, 1))


def test_an_unknown_algorithm_is_newer() -> None:
    with pytest.raises(NewerVersionError, match="XXH3"):
        parse_spark_checksum(SPARK.replace(b"CRC32C", b"XXH3"))


def test_spark_checksum_is_compared_by_size_then_by_value() -> None:
    # 123456789 is the check value in the catalogue of CRCs: 0xE3069283, negative as an int.
    data = b"123456789"
    checksum = SparkChecksum(algorithm="CRC32C", value=0xE3069283 - 2**32, file_size_bytes=9)
    assert crc32c(data) == checksum.value
    assert verify_spark_checksum(data, checksum, crc32c) is None
    assert verify_spark_checksum(data, checksum, lambda _: 0xE3069283) is None
    assert verify_spark_checksum(b"123456780", checksum, crc32c) == (
        "CRC32C differs from its checksum file"
    )
    assert verify_spark_checksum(b"12345678", checksum, crc32c) == (
        "8 bytes, and its checksum file says 9"
    )


def test_a_positive_checksum_stays_positive() -> None:
    assert crc32c(b"") == 0


@given(mutations(SPARK), st.one_of(st.just(hadoop_crc(DATA)), mutations(hadoop_crc(DATA))))
def test_damaged_bytes_raise_only_checkpoint_errors(spark: bytes, hadoop: bytes) -> None:
    try:
        parse_spark_checksum(spark)
    except CheckpointError:
        pass
    try:
        verify_hadoop_crc(DATA, hadoop)
    except CheckpointError:
        pass
