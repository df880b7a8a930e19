"""Small input that asks for much: memory, time or loops.

Each bomb is a function that plants itself in a sound checkpoint and gives the codes that
`show --verify` must say; where it gives none, the checkpoint is only large, and sound.
"""

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import cramjam

from .small_checkpoint import (
    offsets_text,
    operator_metadata,
    write,
    write_sparse,
)

MIB = 1024 * 1024
LONG_MAX = 2**63 - 1
FAR = 10**15
ZERO_BYTES = 10 * 1024**3

Codes = set[str]
Bomb = Callable[[Path], Codes]


def deep_json(root: Path) -> Codes:
    write(root, "offsets/1", offsets_text("[" * 1_000_000))
    return {"HF101"}


def deep_json_in_metadata(root: Path) -> Codes:
    write(root, "metadata", '{"id":' + "[" * 1_000_000)
    return {"HF101"}


def deep_json_that_is_closed(root: Path) -> Codes:
    write(root, "offsets/1", offsets_text("[" * 100_000 + "]" * 100_000))
    return {"HF116"}


def offsets_of_100_mb(root: Path) -> Codes:
    write_sparse(root, "offsets/1", 100 * MIB, b"v1\n{}\n")
    return {"HF101"}


def zeros_up_to_the_limit(root: Path) -> Codes:
    write_sparse(root, "offsets/1", 8 * MIB, b"v1\n{}\n")
    return set()


def tiny_arrays(root: Path) -> Codes:
    write(root, "offsets/1", offsets_text(f"[{'[],' * (10 * MIB // 3)}0]"))
    return {"HF101"}


def tiny_arrays_below_the_limit(root: Path) -> Codes:
    text = offsets_text(f"[{'[],' * (7 * MIB // 3)}0]")
    write(root, "offsets/0", text)
    write(root, "offsets/1", text)
    return {"HF101"}


def tiny_objects_on_many_lines(root: Path) -> Codes:
    line = "[" + '{"":{}},' * (7 * MIB // 900) + "0]"
    for batch in (0, 1):
        write(root, f"offsets/{batch}", offsets_text(*[line] * 100))
    return {"HF101"}


def a_million_sources(root: Path) -> Codes:
    write(root, "offsets/1", offsets_text(*["1"] * 1_000_000))
    return {"HF101"}


def wide_value_far_down(root: Path) -> Codes:
    text = "[" * 190 + "1," * 200_000 + "1" + "]" * 190
    write(root, "offsets/1", offsets_text(text))
    return set()


def a_million_settings(root: Path) -> Codes:
    conf = {f"spark.x{number}": "1" for number in range(300_000)}
    write(root, "offsets/1", offsets_text('{"logOffset":1}', conf=conf))
    return {"HF101"}


def many_settings(root: Path) -> Codes:
    conf = {f"spark.x{number}": "1" for number in range(100_000)}
    write(root, "offsets/1", offsets_text('{"logOffset":1}', conf=conf))
    return set()


def a_setting_of_megabytes(root: Path) -> Codes:
    write(root, "offsets/1", offsets_text('{"logOffset":1}', conf={"spark.x": "x" * (7 * MIB)}))
    return set()


def huge_integers(root: Path) -> Codes:
    write(root, "offsets/0", offsets_text(f'{{"t":{{"0":-{"9" * 4299}}}}}'))
    write(root, "offsets/1", offsets_text(f'{{"t":{{"0":{"9" * 4299}}}}}'))
    return {"HF116"}


def an_integer_of_a_million_digits(root: Path) -> Codes:
    write(root, "offsets/1", offsets_text("9" * 1_000_000))
    return {"HF116"}


def a_source_id_of_thousands_of_digits(root: Path) -> Codes:
    metadata = json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {}})
    write(root, "offsets/1", f'v2\n{metadata}\n{"9" * 5_000}:{{"logOffset":1}}')
    return set()


def a_float_beyond_all(root: Path) -> Codes:
    write(root, "offsets/1", offsets_text('{"a": 1e999}'))
    return {"HF116"}


def times_beyond_the_calendar(root: Path) -> Codes:
    metadata = {"batchWatermarkMs": 10**30, "batchTimestampMs": -(10**30), "conf": {}}
    write(root, "offsets/1", f'v1\n{json.dumps(metadata)}\n{{"logOffset":1}}')
    return set()


def blank_lines_without_end(root: Path) -> Codes:
    entry = b'v1\n{"path":"a","timestamp":1,"batchId":0}\n'
    write(root, "sources/0/1", entry + b"\n" * (60 * MIB))
    write(root, "sources/0/0", entry)
    return {"HF101"}


def one_entry_with_a_million_keys(root: Path) -> Codes:
    keys = ",".join(f'"{number:x}":1' for number in range(4_000_000))
    write(root, "sources/0/1", f'v1\n{{"path":"a",{keys}}}')
    write(root, "sources/0/0", 'v1\n{"path":"a","timestamp":1,"batchId":0}')
    return {"HF101"}


def a_whole_compact_log(root: Path) -> Codes:
    line = '{"path":"%s","timestamp":1700000000000,"batchId":%d}'
    lines = (line % ("p" * 140, number) for number in range(300_000))
    write(root, "sources/0/9.compact", "v1\n" + "\n".join(lines))
    return set()


def large_checksums(root: Path) -> Codes:
    for batch in range(2, 40):
        write(root, f"offsets/{batch}", offsets_text())
        write(root, f"commits/{batch}", "v1\n{}")
        write_sparse(root, f"offsets/.{batch}.crc", 60 * MIB, b"crc\0")
        write_sparse(root, f"commits/.{batch}.crc", 60 * MIB, b"crc\0")
    return {"HF103"}


def large_first_files_of_many_sources(root: Path) -> Codes:
    for source in range(150):
        write_sparse(root, f"sources/{source}/0", 7 * MIB, b"\0v1\n")
    return {"HF101"}


def many_large_operators(root: Path) -> Codes:
    for operator in range(16):
        padding = " " * (4 * MIB)
        write(root, f"state/{operator}/_metadata/metadata", operator_metadata(operator) + padding)
        write(root, f"state/{operator}/0/1.delta", b"")
    return {"HF101"}


def many_unique_ids(root: Path) -> Codes:
    ids = [[f"{number:036d}"] for number in range(60_000)]
    body = json.dumps({"nextBatchWatermarkMs": 0, "stateUniqueIds": {"0": ids}})
    for batch in range(2, 22):
        write(root, f"offsets/{batch}", offsets_text())
        write(root, f"commits/{batch}", f"v2\n{body}")
    return set()


def zip_of_10_gb(root: Path) -> Codes:
    write(root, "state/0/0/1.zip", _zip_of_zeros(ZERO_BYTES))
    return {"HF101"}


def zip_that_lies_about_its_size(root: Path) -> Codes:
    write(root, "state/0/0/1.zip", _zip_of_zeros(1_000))
    return {"HF101"}


def zip_of_100_000_members(root: Path) -> Codes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(100_000):
            archive.writestr(zipfile.ZipInfo(f"m{number}"), b"")
    write(root, "state/0/0/1.zip", buffer.getvalue())
    return {"HF101"}


def zip_that_points_outside(root: Path) -> Codes:
    for version, name in enumerate(("../../../../etc/passwd", "/etc/passwd", "..\\x"), start=1):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(zipfile.ZipInfo("metadata"), 'v1\n{"sstFiles":[],"numKeys":0}')
            archive.writestr(zipfile.ZipInfo(name), b"x")
        write(root, f"state/0/0/{version}.zip", buffer.getvalue())
    return {"HF101"}


def lz4_bomb(root: Path) -> Codes:
    """Ten changelogs, each of blocks as large as lz4-java allows, in 128 kB."""
    zeros = bytes(32 * MIB)
    packed = bytes(cramjam.lz4.compress_block(zeros, store_size=False))
    head = b"LZ4Block" + bytes([0x20 | 15]) + struct.pack("<iiI", len(packed), len(zeros), 0)
    for version in range(1, 11):
        write(root, f"state/0/0/{version}.changelog", (head + packed) * 4)
    return set()


def zstd_bomb(root: Path) -> Codes:
    packed = bytes(cramjam.zstd.compress(bytes(256 * MIB), level=3))
    write(root, "state/0/0/1.changelog", packed * 8)
    return set()


def snappy_bomb(root: Path) -> Codes:
    packed = bytes(cramjam.snappy.compress_raw(bytes(60 * MIB)))
    header = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
    write(root, "state/0/0/1.changelog", header + struct.pack(">i", len(packed)) + packed)
    return set()


def schema_with_huge_lengths(root: Path) -> Codes:
    version = struct.pack(">H", 2) + b"v3"
    name = struct.pack(">H", 1) + b"a"
    for operator, tail in enumerate(
        (
            struct.pack(">i", 2**31 - 1),
            struct.pack(">i", 10_000),
            struct.pack(">i", 1) + name + struct.pack(">hi", 0, 2**31 - 1),
            struct.pack(">i", 1) + name + struct.pack(">hiH", 0, 9_999, 65_535),
            struct.pack(">i", -1),
        )
    ):
        write(root, f"state/{operator}/_stateSchema/default/0_x", version + tail)
        write(root, f"state/{operator}/0/1.delta", b"")
    return {"HF101"}


def offsets_in_200_000_files(root: Path) -> Codes:
    text = offsets_text().encode()
    folder = os.open(root / "offsets", os.O_RDONLY)
    for batch in range(0, 400_000, 2):
        file = os.open(str(batch), os.O_WRONLY | os.O_CREAT, dir_fd=folder)
        os.write(file, text)
        os.close(file)
    os.close(folder)
    return {"HF127"}


def ids_at_the_end_of_all_numbers(root: Path) -> Codes:
    for batch in (LONG_MAX - 1, LONG_MAX):
        write(root, f"offsets/{batch}", offsets_text())
    write(root, f"offsets/{LONG_MAX + 1}", offsets_text())
    write(root, f"offsets/{'9' * 200}", offsets_text())
    return {"HF104", "HF108", "HF119"}


def commit_at_the_end_of_all_numbers(root: Path) -> Codes:
    write(root, f"commits/{LONG_MAX}", "v1\n{}")
    return {"HF104", "HF107"}


def gap_in_the_logs(root: Path) -> Codes:
    write(root, f"offsets/{FAR}", offsets_text())
    write(root, f"commits/{FAR}", "v1\n{}")
    return {"HF127"}


def gap_in_the_state(root: Path) -> Codes:
    write(root, "state/0/0/1.delta", b"")
    write(root, f"state/0/0/{FAR}.delta", b"")
    write(root, f"state/0/0/{LONG_MAX}.snapshot", b"")
    return {"HF111"}


def gap_in_the_log_of_a_file_source(root: Path) -> Codes:
    for entry in ("0", str(FAR)):
        write(root, f"sources/0/{entry}", 'v1\n{"path":"a","timestamp":1,"batchId":0}')
    return {"HF125"}


def partition_numbers_without_end(root: Path) -> Codes:
    write(root, "state/0/0/1.delta", b"")
    write(root, "state/0/99999999/1.delta", b"")
    write(root, f"state/0/{LONG_MAX}/1.delta", b"")
    return {"HF111"}


def ten_million_pinned_partitions(root: Path) -> Codes:
    conf = {"spark.sql.shuffle.partitions": "9999999"}
    write(root, "offsets/1", offsets_text('{"logOffset":1}', conf=conf))
    write(root, "state/0/0/1.delta", b"")
    return {"HF111"}


def operators_without_end(root: Path) -> Codes:
    for operator in range(15_000):
        (root / f"state/{operator}/0").mkdir(parents=True)
    return {"HF121"}


def sources_that_come_and_go(root: Path) -> Codes:
    for batch in range(2, 6_000):
        write(root, f"offsets/{batch}", offsets_text(*["1"] * (1 + batch % 2)))
    return {"HF117"}


def _zip_of_zeros(declared: int) -> bytes:
    """A member that inflates to 10 GB, made of one block of zeros over and over."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(64 * MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    body = block * (ZERO_BYTES // (64 * MIB)) + packer.flush()
    name = b"metadata"
    wide = struct.pack("<HHQQ", 1, 16, declared, len(body))
    sizes = struct.pack("<IIIHH", 0, 0xFFFF_FFFF, 0xFFFF_FFFF, len(name), len(wide))
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 45, 0, 8, 0, 0) + sizes + name + wide
    central = b"PK\x01\x02" + struct.pack("<HHHHHH", 45, 45, 0, 8, 0, 0) + sizes
    central += struct.pack("<HHHII", 0, 0, 0, 0, 0) + name + wide
    start = len(local) + len(body)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), start, 0)
    return local + body + central + end


BOMBS: tuple[Bomb, ...] = (
    deep_json,
    deep_json_in_metadata,
    deep_json_that_is_closed,
    offsets_of_100_mb,
    zeros_up_to_the_limit,
    tiny_arrays,
    tiny_arrays_below_the_limit,
    tiny_objects_on_many_lines,
    a_million_sources,
    wide_value_far_down,
    a_million_settings,
    many_settings,
    a_setting_of_megabytes,
    huge_integers,
    an_integer_of_a_million_digits,
    a_source_id_of_thousands_of_digits,
    a_float_beyond_all,
    times_beyond_the_calendar,
    blank_lines_without_end,
    one_entry_with_a_million_keys,
    a_whole_compact_log,
    large_checksums,
    large_first_files_of_many_sources,
    many_large_operators,
    many_unique_ids,
    zip_of_10_gb,
    zip_that_lies_about_its_size,
    zip_of_100_000_members,
    zip_that_points_outside,
    lz4_bomb,
    zstd_bomb,
    snappy_bomb,
    schema_with_huge_lengths,
    offsets_in_200_000_files,
    ids_at_the_end_of_all_numbers,
    commit_at_the_end_of_all_numbers,
    gap_in_the_logs,
    gap_in_the_state,
    gap_in_the_log_of_a_file_source,
    partition_numbers_without_end,
    ten_million_pinned_partitions,
    operators_without_end,
    sources_that_come_and_go,
)
