"""Tiny writers of the binary formats of Spark, for tests only."""

import io
import json
import struct
import zipfile
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from holdfast.adapters.codecs.xxhash32 import xxhash32

KEY = {
    "type": "struct",
    "fields": [
        {
            "name": "window",
            "type": {
                "type": "struct",
                "fields": [
                    {"name": "start", "type": "timestamp", "nullable": True, "metadata": {}},
                    {"name": "end", "type": "timestamp", "nullable": True, "metadata": {}},
                ],
            },
            "nullable": False,
            "metadata": {},
        },
        {"name": "word", "type": "string", "nullable": True, "metadata": {}},
    ],
}
VALUE = {
    "type": "struct",
    "fields": [{"name": "count", "type": "long", "nullable": False, "metadata": {}}],
}


def modified_utf8(text: str) -> bytes:
    """Encode as java.io.DataOutput.writeUTF does, without the length."""
    units = struct.iter_unpack("<H", text.encode("utf-16-le", "surrogatepass"))
    encoded = b"".join(chr(unit).encode("utf-8", "surrogatepass") for (unit,) in units)
    return encoded.replace(b"\x00", b"\xc0\x80")


def write_utf(text: str) -> bytes:
    raw = modified_utf8(text)
    return struct.pack(">H", len(raw)) + raw


def chunked(text: str, size: int = 65_535) -> bytes:
    units = text.encode("utf-16-le")
    parts = [units[start : start + 2 * size] for start in range(0, len(units), 2 * size)]
    texts = [part.decode("utf-16-le", "surrogatepass") for part in parts]
    return struct.pack(">i", len(texts)) + b"".join(write_utf(part) for part in texts)


def snapshot_zip(metadata: bytes | None, extra: Sequence[tuple[str, bytes]] = ()) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in extra:
            archive.writestr(name, content)
        if metadata is not None:
            archive.writestr("metadata", metadata)
    return target.getvalue()


def snapshot_metadata(**changes: Any) -> bytes:
    values = {
        "sstFiles": [
            {"localFileName": "000008.sst", "dfsSstFileName": "000008-a1.sst", "sizeBytes": 1350}
        ],
        "numKeys": 6,
        **changes,
    }
    return b"v1\n" + json.dumps(values).encode()


def lz4_block(method: int, body: bytes, content: bytes, checksum: int | None = None) -> bytes:
    if checksum is None:
        checksum = xxhash32(content, 0x9747B28C) & 0x0FFFFFFF if content else 0
    token = bytes([method | 5])
    return b"LZ4Block" + token + struct.pack("<iiI", len(body), len(content), checksum) + body


def mutations(valid: bytes) -> st.SearchStrategy[bytes]:
    """Give damaged copies: cut, with bytes replaced, or with a piece put in."""
    places = st.integers(0, len(valid))
    pieces = st.binary(max_size=8)

    def replace(changes: list[tuple[int, bytes]]) -> bytes:
        damaged = bytearray(valid)
        for place, piece in changes:
            damaged[place : place + len(piece)] = piece
        return bytes(damaged)

    cut = st.builds(lambda place: valid[:place], places)
    replaced = st.builds(replace, st.lists(st.tuples(places, pieces), min_size=1, max_size=4))
    put_in = st.builds(lambda place, piece: valid[:place] + piece + valid[place:], places, pieces)
    return st.one_of(st.binary(max_size=200), cut, replaced, put_in)
