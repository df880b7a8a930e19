"""LZF chunks as compress-lzf writes them (com.ning.compress.lzf, LZFCompressionCodec of Spark).

A chunk is `ZV`, a type byte, and 2-byte big-endian lengths: type 0 has one length and raw bytes,
type 1 the packed and the unpacked length and packed bytes.
"""

from collections.abc import Iterator
from typing import Final

from holdfast.errors import MalformedError

LZF_MAGIC: Final = b"ZV"

_RAW: Final = 0
_PACKED: Final = 1
_RAW_HEADER_BYTES: Final = 5
_PACKED_HEADER_BYTES: Final = 7
_LITERAL_CONTROLS: Final = 32
_LONG_COPY: Final = 7


def lzf_chunks(data: bytes) -> Iterator[bytes]:
    """Unpack chunk by chunk; each is at most 64 KiB, so the caller can stop in time."""
    position = 0
    while position < len(data):
        if data[position : position + 2] != LZF_MAGIC or position + 3 > len(data):
            raise MalformedError(f"the LZF stream has no chunk at byte {position}")
        kind = data[position + 2]
        if kind not in (_RAW, _PACKED):
            raise MalformedError(f"the LZF stream has a chunk of the unknown type {kind}")
        header = _RAW_HEADER_BYTES if kind == _RAW else _PACKED_HEADER_BYTES
        stored = int.from_bytes(data[position + 3 : position + 5], "big")
        start = position + header
        position = start + stored
        if position > len(data):
            raise MalformedError("the LZF stream is cut short")
        if kind == _RAW:
            yield data[start:position]
        else:
            expected = int.from_bytes(data[start - 2 : start], "big")
            yield _unpack_chunk(data[start:position], expected)


def _unpack_chunk(packed: bytes, expected: int) -> bytes:
    """Undo one chunk: a control below 32 is a run of literals, any other a copy from behind."""
    unpacked = bytearray()
    position = 0
    try:
        while position < len(packed) and len(unpacked) < expected:
            control = packed[position]
            position += 1
            if control < _LITERAL_CONTROLS:
                unpacked += packed[position : position + control + 1]
                position += control + 1
                continue
            length = control >> 5
            if length == _LONG_COPY:
                length += packed[position]
                position += 1
            distance = ((control & 0x1F) << 8 | packed[position]) + 1
            position += 1
            _copy_from_behind(unpacked, distance, length + 2)
    except IndexError as error:
        raise MalformedError("a chunk of the LZF stream is cut short") from error
    if len(unpacked) != expected or position != len(packed):
        raise MalformedError("a chunk of the LZF stream does not unpack to its declared length")
    return bytes(unpacked)


def _copy_from_behind(unpacked: bytearray, distance: int, length: int) -> None:
    start = len(unpacked) - distance
    if start < 0:
        raise MalformedError("a chunk of the LZF stream refers to bytes before its start")
    # A copy may overlap what it writes; it then repeats the last `distance` bytes.
    pattern = bytes(unpacked[start : start + length])
    unpacked += (pattern * (length // len(pattern) + 1))[:length]
