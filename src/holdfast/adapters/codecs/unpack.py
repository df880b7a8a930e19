"""Undo the compression of state files, never to more than the caller asked for.

org.apache.spark.io.CompressionCodec names the four codecs; a checkpoint pins one of them in
spark.sql.streaming.stateStore.compression.codec.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import cramjam

from holdfast.adapters.codecs.lzf import LZF_MAGIC, lzf_chunks
from holdfast.adapters.codecs.xxhash32 import xxhash32
from holdfast.core.limits import UNPACKED_BYTES_MAX
from holdfast.errors import MalformedError, TooLargeError

_LZ4_MAGIC: Final = b"LZ4Block"
_LZ4_HEADER_BYTES: Final = 21
_LZ4_RAW: Final = 0x10
_LZ4_PACKED: Final = 0x20
_LZ4_LEVEL_BASE: Final = 10
_LZ4_SEED: Final = 0x9747_B28C
# The hash takes half a second per MiB here. LZ4BlockOutputStream of Spark writes blocks of 32 KiB
# unless told otherwise; a larger one is unpacked and not held against its hash.
_LZ4_HASHED_BYTES_MAX: Final = 256 * 1024
# StreamingXXHash32.asChecksum gives lz4-java a Checksum that drops the upper four bits.
_LZ4_CHECKSUM_MASK: Final = 0x0FFF_FFFF

_SNAPPY_MAGIC: Final = b"\x82SNAPPY\x00"
_SNAPPY_HEADER_BYTES: Final = 16
_SNAPPY_LENGTH_BYTES_MAX: Final = 5
# One element of three bytes gives at most 64, so a chunk that declares more is damaged.
_SNAPPY_RATIO_MAX: Final = 64

_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_FIRST_BUFFER_BYTES: Final = 64 * 1024
_ZSTD_GROWTH: Final = 8
# What cramjam says when the buffer is full (std::io::ErrorKind::WriteZero of Rust); it has one
# exception for every failure.
_ZSTD_BUFFER_FULL: Final = "failed to write whole buffer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """The first bytes of the content, and whether there were more than the limit."""

    content: bytes
    truncated: bool


def unpack(data: bytes, codec: str, limit: int) -> Unpacked:
    """Unpack at most `limit` bytes; `codec` is a short name or a class name of Spark."""
    if not data:
        raise MalformedError(f"the {codec} stream is empty: it was created and never written")
    name = _NAME_OF_CLASS.get(codec, codec.lower())
    if name == "zstd":
        return _unpack_zstd(data, limit)
    if name not in _BLOCKS:
        raise MalformedError(f"{codec[:80]!r} is not a compression codec of Spark")
    content = bytearray()
    for block in _BLOCKS[name](data):
        content += block
        if len(content) > limit:
            return Unpacked(content=bytes(content[:limit]), truncated=True)
    return Unpacked(content=bytes(content), truncated=False)


def sniff_codec(head: bytes) -> str | None:
    """Tell the codec by the first 8 bytes, since the pinned one may not be the one used."""
    for magic, codec in _MAGICS:
        if head.startswith(magic):
            return codec
    return None


def _lz4_blocks(data: bytes) -> Iterator[bytes]:
    """Unpack lz4-java's LZ4BlockOutputStream, which is not the LZ4 frame format.

    A block is the magic, a token (method and level), three little-endian ints (packed length,
    unpacked length, XXH32 of the unpacked bytes) and the bytes; one of length 0 ends a stream.
    Spark reads on after it (setStopOnEmptyBlock(false)), so streams may be joined.
    """
    position = 0
    ended = False
    while position < len(data):
        header = data[position : position + _LZ4_HEADER_BYTES]
        if len(header) < _LZ4_HEADER_BYTES or not header.startswith(_LZ4_MAGIC):
            raise MalformedError(f"the lz4 stream has no whole block header at byte {position}")
        token = header[8]
        packed, unpacked, checksum = (
            int.from_bytes(header[start : start + 4], "little", signed=start < 17)
            for start in (9, 13, 17)
        )
        position += _LZ4_HEADER_BYTES
        if packed < 0 or not 0 <= unpacked <= 1 << (_LZ4_LEVEL_BASE + (token & 0x0F)):
            raise MalformedError("the lz4 stream has a block of an impossible length")
        body = data[position : position + packed]
        if len(body) < packed:
            raise MalformedError("the lz4 stream is cut short inside a block")
        position += packed
        ended = unpacked == 0
        if not ended:
            block = _lz4_block(body, token & 0xF0, unpacked)
            hashed = xxhash32(block, _LZ4_SEED) if unpacked <= _LZ4_HASHED_BYTES_MAX else None
            if hashed is not None and hashed & _LZ4_CHECKSUM_MASK != checksum:
                raise MalformedError("a block of the lz4 stream differs from its checksum")
            yield block
    # Spark reads such a file as if it ended here; LZ4BlockOutputStream always writes the end.
    if not ended:
        raise MalformedError("the lz4 stream is cut short: it has no end block")


def _lz4_block(body: bytes, method: int, unpacked: int) -> bytes:
    if method == _LZ4_RAW and len(body) == unpacked:
        return body
    if method != _LZ4_PACKED:
        raise MalformedError("the lz4 stream has a block of an unknown method or a false length")
    # decompress_block pads what is missing with zeros; decompress_block_into says how much came.
    block = bytearray(unpacked)
    try:
        written = cramjam.lz4.decompress_block_into(body, block, output_len=unpacked)
    except cramjam.DecompressionError as error:
        raise MalformedError(f"a block of the lz4 stream is damaged: {error}") from error
    if written != unpacked:
        raise MalformedError("a block of the lz4 stream does not unpack to its declared length")
    return bytes(block)


def _snappy_blocks(data: bytes) -> Iterator[bytes]:
    """Unpack snappy-java's SnappyOutputStream: a header, then int length and raw snappy."""
    if not data.startswith(_SNAPPY_MAGIC) or len(data) < _SNAPPY_HEADER_BYTES:
        raise MalformedError("the snappy stream does not begin with the header of snappy-java")
    position = _SNAPPY_HEADER_BYTES
    while position < len(data):
        # SnappyInputStream skips a header in the midst: streams may be joined.
        if data.startswith(_SNAPPY_MAGIC, position):
            position += _SNAPPY_HEADER_BYTES
            continue
        start = position + 4
        length = int.from_bytes(data[position:start], "big", signed=True)
        position = start + length
        if length < 1 or position > len(data):
            raise MalformedError("the snappy stream is cut short or damaged")
        yield _snappy_block(data[start:position])


def _snappy_block(body: bytes) -> bytes:
    # The declared length is looked at first: cramjam makes room for it before it looks further.
    declared = 0
    for index, byte in enumerate(body[:_SNAPPY_LENGTH_BYTES_MAX]):
        declared |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            break
    if declared > _SNAPPY_RATIO_MAX * len(body):
        raise MalformedError("a chunk of the snappy stream declares an impossible length")
    if declared > UNPACKED_BYTES_MAX:
        message = f"a chunk of the snappy stream unpacks to more than {UNPACKED_BYTES_MAX} bytes"
        raise TooLargeError(message)
    try:
        return bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise MalformedError(f"a chunk of the snappy stream is damaged: {error}") from error


def _unpack_zstd(data: bytes, limit: int) -> Unpacked:
    """Unpack into a buffer of fixed size, which is made larger up to the limit."""
    size = min(limit, max(_ZSTD_FIRST_BUFFER_BYTES, _ZSTD_GROWTH * len(data)))
    while True:
        buffer = bytearray(size)
        try:
            written = cramjam.zstd.decompress_into(data, buffer)
        except cramjam.DecompressionError as error:
            if str(error) != _ZSTD_BUFFER_FULL:
                raise MalformedError(f"the zstd stream is damaged: {error}") from error
        else:
            return Unpacked(content=bytes(buffer[:written]), truncated=False)
        if size == limit:
            return Unpacked(content=bytes(buffer), truncated=True)
        size = min(limit, size * _ZSTD_GROWTH)


_BLOCKS: Final[dict[str, Callable[[bytes], Iterator[bytes]]]] = {
    "lz4": _lz4_blocks,
    "lzf": lzf_chunks,
    "snappy": _snappy_blocks,
}
_NAME_OF_CLASS: Final = {
    "org.apache.spark.io.LZ4CompressionCodec": "lz4",
    "org.apache.spark.io.LZFCompressionCodec": "lzf",
    "org.apache.spark.io.SnappyCompressionCodec": "snappy",
    "org.apache.spark.io.ZStdCompressionCodec": "zstd",
}
_MAGICS: Final = (
    (_LZ4_MAGIC, "lz4"),
    (_SNAPPY_MAGIC, "snappy"),
    (_ZSTD_MAGIC, "zstd"),
    (LZF_MAGIC + b"\x00", "lzf"),
    (LZF_MAGIC + b"\x01", "lzf"),
)
