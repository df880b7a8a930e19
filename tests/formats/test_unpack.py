import struct
import zlib

import cramjam
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.adapters.codecs import unpack as unpack_module
from holdfast.adapters.codecs.unpack import sniff_codec, unpack
from holdfast.adapters.codecs.xxhash32 import xxhash32
from holdfast.errors import CheckpointError, MalformedError, TooLargeError

from .spark_writers import lz4_block, mutations

CONTENT = b"state " * 100 + bytes(range(256))
END = lz4_block(0x10, b"", b"")


def lz4_packed(content: bytes) -> bytes:
    body = bytes(cramjam.lz4.compress_block(content, store_size=False))
    return lz4_block(0x20, body, content)


def snappy_chunk(content: bytes) -> bytes:
    body = bytes(cramjam.snappy.compress_raw(content))
    return struct.pack(">i", len(body)) + body


SNAPPY_HEADER = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
HALF = len(CONTENT) // 2
STREAMS = {
    "lz4": lz4_packed(CONTENT[:HALF]) + lz4_block(0x10, CONTENT[HALF:], CONTENT[HALF:]) + END,
    "snappy": SNAPPY_HEADER + snappy_chunk(CONTENT[:HALF]) + snappy_chunk(CONTENT[HALF:]),
    "zstd": bytes(cramjam.zstd.compress(CONTENT)),
    # "state " once, then a copy of 594 bytes in three long copies, then the rest as it is.
    "lzf": b"ZV\x01"
    + struct.pack(">HH", 16, 600)
    + b"\x05state \xe0\xff\x05\xe0\xff\x05\xe0\x39\x05"
    + b"ZV\x00"
    + struct.pack(">H", 256)
    + bytes(range(256)),
}
CODECS = sorted(STREAMS)
EVERY_CODEC = pytest.mark.parametrize("codec", CODECS)


@EVERY_CODEC
def test_every_codec_gives_the_content(codec: str) -> None:
    unpacked = unpack(STREAMS[codec], codec, len(CONTENT))
    assert (unpacked.content, unpacked.truncated) == (CONTENT, False)


@EVERY_CODEC
@pytest.mark.parametrize("limit", [0, 1, 700, len(CONTENT) - 1])
def test_no_codec_gives_more_than_asked_for(codec: str, limit: int) -> None:
    unpacked = unpack(STREAMS[codec], codec, limit)
    assert (unpacked.content, unpacked.truncated) == (CONTENT[:limit], True)


@EVERY_CODEC
def test_joined_streams_are_read_on(codec: str) -> None:
    assert unpack(STREAMS[codec] * 2, codec, 10_000).content == CONTENT * 2


@EVERY_CODEC
def test_the_codec_is_told_by_its_first_bytes(codec: str) -> None:
    assert sniff_codec(STREAMS[codec][:8]) == codec


def test_other_bytes_are_no_codec() -> None:
    assert sniff_codec(b"") is None
    assert sniff_codec(b"v1\n{}") is None


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("org.apache.spark.io.LZ4CompressionCodec", "lz4"),
        ("org.apache.spark.io.LZFCompressionCodec", "lzf"),
        ("org.apache.spark.io.SnappyCompressionCodec", "snappy"),
        ("org.apache.spark.io.ZStdCompressionCodec", "zstd"),
        ("ZSTD", "zstd"),
    ],
)
def test_spark_takes_class_names_and_any_case(name: str, codec: str) -> None:
    assert unpack(STREAMS[codec], name, 10_000).content == CONTENT


def test_an_unknown_codec_is_refused() -> None:
    with pytest.raises(MalformedError, match="not a compression codec"):
        unpack(b"x", "gzip", 10)


@EVERY_CODEC
def test_an_empty_file_was_never_written(codec: str) -> None:
    with pytest.raises(MalformedError, match="never written"):
        unpack(b"", codec, 10)


@EVERY_CODEC
def test_a_stream_cut_in_its_last_block_is_refused(codec: str) -> None:
    with pytest.raises(MalformedError):
        unpack(STREAMS[codec][:-1], codec, 10_000)


@pytest.mark.parametrize("codec", ["lz4", "lzf", "snappy"])
def test_a_cut_in_a_block_past_the_limit_does_not_matter(codec: str) -> None:
    assert unpack(STREAMS[codec][:-1], codec, 5).content == CONTENT[:5]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (STREAMS["lz4"][: -len(END)], "no end block"),
        (b"LZ4Bloc", "no whole block header"),
        (b"x" * 21, "no whole block header"),
        (lz4_block(0x10, b"abc", b"abc", checksum=1) + END, "differs from its checksum"),
        (lz4_block(0x30, b"abc", b"abc") + END, "unknown method"),
        (lz4_block(0x10, b"abc", b"abcd") + END, "false length"),
        (lz4_block(0x20, b"\x10a", b"ab") + END, "declared length"),
        (lz4_block(0x20, b"\xff\xff", b"ab") + END, "damaged"),
        (b"LZ4Block\x25" + struct.pack("<iiI", 1, 32_769, 0) + b"a", "impossible length"),
        (b"LZ4Block\x25" + struct.pack("<iiI", -1, 1, 0) + b"a", "impossible length"),
        (b"LZ4Block\x25" + struct.pack("<iiI", 9, 1, 0) + b"a", "inside a block"),
    ],
)
def test_damaged_lz4_is_named(data: bytes, message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        unpack(data, "lz4", 10_000)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"snappy", "does not begin"),
        (SNAPPY_HEADER[:-1], "does not begin"),
        (SNAPPY_HEADER + b"\x00\x00", "cut short"),
        (SNAPPY_HEADER + struct.pack(">i", -1), "cut short"),
        (SNAPPY_HEADER + struct.pack(">i", 5) + b"\xff\xff\xff\xff\x0f", "impossible length"),
        (SNAPPY_HEADER + struct.pack(">i", 3) + b"\x05\x00a", "damaged"),
        (SNAPPY_HEADER + struct.pack(">i", 6) + b"\x80" * 6, "damaged"),
    ],
)
def test_damaged_snappy_is_named(data: bytes, message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        unpack(data, "snappy", 10_000)


def test_a_huge_snappy_chunk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack_module, "UNPACKED_BYTES_MAX", 100)
    with pytest.raises(TooLargeError):
        unpack(STREAMS["snappy"], "snappy", 10_000)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ZV", "no chunk"),
        (b"zv\x00\x00\x00", "no chunk"),
        (b"ZV\x02\x00\x00", "unknown type 2"),
        (b"ZV\x00\x00\x05a", "cut short"),
        (b"ZV\x01\x00", "cut short"),
        (b"ZV\x01\x00\x01\x00\x09\xe0", "cut short"),
        (b"ZV\x01\x00\x02\x00\x09\x20\x00", "before its start"),
        (b"ZV\x01\x00\x02\x00\x09\x00a", "declared length"),
        (b"ZV\x01\x00\x04\x00\x01\x00a\x00b", "declared length"),
    ],
)
def test_damaged_lzf_is_named(data: bytes, message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        unpack(data, "lzf", 10_000)


def test_a_zstd_bomb_stops_at_the_limit() -> None:
    bomb = bytes(cramjam.zstd.compress(bytes(50_000_000)))
    assert len(bomb) < 2_000
    unpacked = unpack(bomb, "zstd", 1_000_000)
    assert (len(unpacked.content), unpacked.truncated) == (1_000_000, True)


def test_zstd_grows_its_buffer_until_it_fits() -> None:
    assert len(unpack(bytes(cramjam.zstd.compress(bytes(2**21))), "zstd", 2**24).content) == 2**21


@pytest.mark.parametrize(
    ("data", "seed", "expected"),
    [
        (b"", 0, 0x02CC5D05),
        (b"abc", 0, 0x32D153FF),
        (b"Nobody inspects the spammish repetition", 0, 0xE2293B2F),
        (b"", 0x9E3779B1, 0x36B78AE7),
    ],
)
def test_xxhash32_gives_the_published_values(data: bytes, seed: int, expected: int) -> None:
    assert xxhash32(data, seed) == expected


@given(codec=st.sampled_from(CODECS), data=st.data())
def test_damaged_bytes_raise_only_checkpoint_errors(codec: str, data: st.DataObject) -> None:
    damaged = data.draw(mutations(STREAMS[codec]))
    try:
        assert len(unpack(damaged, codec, 5_000).content) <= 5_000
    except CheckpointError:
        pass


@given(st.binary())
@example(b"a" * 70_000)
def test_lz4_and_snappy_give_back_any_content(content: bytes) -> None:
    pieces = [content[start : start + 32_768] for start in range(0, len(content), 32_768)]
    lz4 = b"".join(map(lz4_packed, pieces)) + END
    snappy = SNAPPY_HEADER + b"".join(map(snappy_chunk, pieces))
    assert zlib.crc32(unpack(lz4, "lz4", 2**20).content) == zlib.crc32(content)
    assert unpack(snappy, "snappy", 2**20).content == content
