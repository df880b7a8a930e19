r"""The two kinds of checksum file beside a checkpoint's files.

`.name.crc` (hidden) is Hadoop's, on local disks only: org.apache.hadoop.fs.ChecksumFileSystem
writes `crc\0`, the int bytesPerChecksum, and one big-endian CRC32 for each chunk of the file.
`name.crc` is Spark's own, JSON, beside state files: ChecksumCheckpointFileManager (4.1).
The second has a hidden `.name.crc.crc` of the first kind on local disks.
"""

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from holdfast.core.formats.json_text import decode_object, integer, text_field
from holdfast.core.formats.versioned_text import decode_text
from holdfast.errors import MalformedError, NewerVersionError

_HADOOP_MAGIC: Final = b"crc\x00"
_HADOOP_HEADER_BYTES: Final = 8
_CRC_BYTES: Final = 4
_HADOOP_CHUNK_BYTES: Final = 512
_HADOOP_WHAT: Final = "the Hadoop checksum file"
_SPARK_WHAT: Final = "the checksum file"
_SPARK_ALGORITHM: Final = "CRC32C"


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkChecksum:
    """What a `name.crc` says of the file `name`; `value` is a signed 32-bit integer."""

    algorithm: str
    value: int
    file_size_bytes: int


def verify_hadoop_crc(data: bytes, crc_file: bytes) -> str | None:
    """Compare a file with its `.name.crc`: None when they agree, else what does not."""
    if len(crc_file) < _HADOOP_HEADER_BYTES or not crc_file.startswith(_HADOOP_MAGIC):
        raise MalformedError(f"{_HADOOP_WHAT} does not begin with crc and a chunk size")
    chunk_bytes = int.from_bytes(crc_file[4:_HADOOP_HEADER_BYTES], "big", signed=True)
    sums = crc_file[_HADOOP_HEADER_BYTES:]
    if chunk_bytes < 1 or len(sums) % _CRC_BYTES:
        raise MalformedError(f"{_HADOOP_WHAT} is damaged or cut short")
    stored = len(sums) // _CRC_BYTES
    needed = -(-len(data) // chunk_bytes)
    if stored != needed:
        return (
            f"{len(data)} bytes need {needed} checksums of {chunk_bytes} bytes each, "
            f"{stored} are stored: one of the two files was changed or cut"
        )
    expected = struct.unpack(f">{stored}I", sums)
    for index, crc in enumerate(expected):
        start = index * chunk_bytes
        chunk = data[start : start + chunk_bytes]
        if zlib.crc32(chunk) != crc:
            return f"bytes {start} to {start + len(chunk) - 1} differ from their checksum"
    return None


def has_usual_chunks(crc_file: bytes) -> bool:
    """Say whether the chunk size is Hadoop's default (file.bytes-per-checksum).

    Nothing protects that number itself: of a file with one chunk a flipped one still agrees.
    """
    return crc_file[4:_HADOOP_HEADER_BYTES] == _HADOOP_CHUNK_BYTES.to_bytes(4, "big")


def parse_spark_checksum(data: bytes) -> SparkChecksum:
    """Read a `name.crc`; an algorithm other than Spark's only one is newer than this release."""
    values = decode_object(decode_text(data, _SPARK_WHAT), _SPARK_WHAT)
    algorithm = text_field(values, "algorithm", _SPARK_WHAT)
    if algorithm != _SPARK_ALGORITHM:
        raise NewerVersionError(f"{_SPARK_WHAT} uses {algorithm[:40]!r}, unknown here")
    value = integer(values, "value", _SPARK_WHAT)
    if not -(2**31) <= value < 2**31:
        raise MalformedError(f"{_SPARK_WHAT}: 'value' is not a 32-bit number")
    size = integer(values, "mainFileSize", _SPARK_WHAT)
    return SparkChecksum(algorithm=algorithm, value=value, file_size_bytes=size)


def verify_spark_checksum(
    data: bytes, checksum: SparkChecksum, crc32c: Callable[[bytes], int]
) -> str | None:
    """Compare a file with its `name.crc`: None when they agree, else what does not."""
    if len(data) != checksum.file_size_bytes:
        return f"{len(data)} bytes, and its checksum file says {checksum.file_size_bytes}"
    # Java's int is signed and libraries give either sign, so compare the 32 bits.
    found = crc32c(data)
    if (found ^ checksum.value) & 0xFFFF_FFFF:
        return f"{checksum.algorithm} differs from its checksum file"
    return None
