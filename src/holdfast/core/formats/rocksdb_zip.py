"""A RocksDB snapshot, `V.zip` or `V_<id>.zip`: the small files, and the names of the large ones.

RocksDBFileManager is the rule: a flat zip of MANIFEST, CURRENT, OPTIONS and logs, with a member
`metadata` (RocksDBCheckpointMetadata: `v1` and JSON) that lists the table files under `SSTs/`
and the logs under `logs/`, without which the zip is useless.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from holdfast.core.formats.json_text import Json, decode_object, integer, text_field
from holdfast.core.formats.versioned_text import split_version
from holdfast.core.limits import FILE_BYTES_MAX, UNPACKED_BYTES_MAX, ZIP_MEMBERS_MAX
from holdfast.errors import MalformedError, TooLargeError

_WHAT: Final = "the RocksDB snapshot"
_METADATA: Final = "metadata"
# RocksDBCheckpointMetadata writes the state format of the session here; the JSON is the same.
_NEWEST: Final = 2
_CENTRAL_HEADER: Final = b"PK\x01\x02"
_READ_BYTES: Final = 1024 * 1024
# Bits of a member's flags that zipfile cannot read: encrypted, patched, strongly encrypted.
_UNREADABLE_FLAGS: Final = 0x01 | 0x20 | 0x40
# The two that java.util.zip.ZipOutputStream writes. Others are not opened at all: a few bytes
# of LZMA header can ask for gigabytes.
_COMPRESSIONS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
# What zipfile lets through on damaged input, besides its own error: a header cut by the end of
# the file (struct.error), an offset before the start (ValueError) or beyond 64 bits
# (OverflowError), a name that is not UTF-8 (ValueError), a zip version from the future
# (NotImplementedError), a member cut short (EOFError) or not deflated (zlib.error).
_ZIP_ERRORS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    NotImplementedError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SstFile:
    """A table file: its name in RocksDB, its name under `SSTs/`, its size."""

    local_name: str
    dfs_name: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """A write-ahead log: its name in RocksDB, its name under `logs/`, its size."""

    local_name: str
    dfs_name: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ZipMember:
    """One member of the zip and the size it declares."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RocksDbSnapshot:
    """What one snapshot zip says. `key_count` is below 0 when keys were not counted."""

    sst_files: tuple[SstFile, ...]
    log_files: tuple[LogFile, ...]
    key_count: int
    members: tuple[ZipMember, ...]


def parse_rocksdb_zip(data: bytes) -> RocksDbSnapshot:
    """Read the list of members and the `metadata` of a snapshot; other members stay packed."""
    with _opened(data) as archive:
        members = _checked_members(archive)
        if _METADATA not in members:
            raise MalformedError(f"{_WHAT} has no member named {_METADATA}")
        metadata = b"".join(_unpacked(archive, members[_METADATA]))
    what = f"the metadata of {_WHAT}"
    _, lines = split_version(metadata, what, _NEWEST)
    values = decode_object("\n".join(lines), what)
    return RocksDbSnapshot(
        sst_files=tuple(
            SstFile(local_name=local, dfs_name=dfs, size_bytes=size)
            for local, dfs, size in _files(values.get("sstFiles"), "dfsSstFileName", what)
        ),
        # An empty list is left out (RocksDBCheckpointMetadata.json writes null instead).
        log_files=tuple(
            LogFile(local_name=local, dfs_name=dfs, size_bytes=size)
            for local, dfs, size in _files(values.get("logFiles") or [], "dfsLogFileName", what)
        ),
        key_count=integer(values, "numKeys", what),
        members=tuple(
            ZipMember(name=name, size_bytes=info.file_size) for name, info in members.items()
        ),
    )


def verify_members(data: bytes) -> str | None:
    """Unpack every member and compare its CRC: None when all agree, else what does not.

    A damage inside a member is the answer; a zip that cannot be listed at all still raises.
    """
    with _opened(data) as archive:
        for info in _checked_members(archive).values():
            try:
                for _ in _unpacked(archive, info):
                    pass
            except MalformedError as error:
                return error.message
    return None


@contextmanager
def _opened(data: bytes) -> Iterator[zipfile.ZipFile]:
    if not data:
        raise MalformedError(f"{_WHAT} is empty: it was created and never written")
    if len(data) > FILE_BYTES_MAX:
        raise TooLargeError(f"{_WHAT} is larger than {FILE_BYTES_MAX} bytes")
    # zipfile makes an object for every member before any can be counted.
    if data.count(_CENTRAL_HEADER) > ZIP_MEMBERS_MAX:
        raise TooLargeError(f"{_WHAT} has more than {ZIP_MEMBERS_MAX} members")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _ZIP_ERRORS as error:
        raise MalformedError(f"{_WHAT} is not a whole zip file: {error}") from error
    with archive:
        yield archive


def _checked_members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename
        shown = f"{_WHAT}: the member {name[:80]!r}"
        if not name or name.startswith("/") or ".." in name or "\\" in name or ":" in name:
            raise MalformedError(f"{shown} has a name that points outside the zip")
        if name in members:
            raise MalformedError(f"{shown} is there twice")
        if info.flag_bits & _UNREADABLE_FLAGS:
            raise MalformedError(f"{shown} is encrypted or patched")
        if info.compress_type not in _COMPRESSIONS:
            raise MalformedError(f"{shown} has compression {info.compress_type}, unknown to Spark")
        members[name] = info
    if sum(info.file_size for info in members.values()) > UNPACKED_BYTES_MAX:
        raise TooLargeError(f"{_WHAT} unpacks to more than {UNPACKED_BYTES_MAX} bytes")
    return members


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Give a member piece by piece; zipfile compares the CRC at the last one.

    The pieces never add up to more than the declared size, which _checked_members bounded:
    zipfile stops there, and the CRC of what was left out does not match.
    """
    shown = f"{_WHAT}: the member {info.filename[:80]!r}"
    unpacked = 0
    try:
        with archive.open(info) as member:
            while piece := member.read(_READ_BYTES):
                unpacked += len(piece)
                yield piece
    except _ZIP_ERRORS as error:
        raise MalformedError(f"{shown} is damaged: {error}") from error
    if unpacked != info.file_size:
        raise MalformedError(f"{shown} has {unpacked} bytes and declares {info.file_size}")


def _files(items: Any, dfs_key: str, what: str) -> Iterator[tuple[str, str, int]]:
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise MalformedError(f"{what} has no list of files")
    for item in items:
        size = integer(item, "sizeBytes", what)
        if size < 0:
            raise MalformedError(f"{what} has a file of {size} bytes")
        yield _plain_name(item, "localFileName", what), _plain_name(item, dfs_key, what), size


def _plain_name(item: dict[str, Json], key: str, what: str) -> str:
    """Take a file name that stays inside its folder whatever it is joined to."""
    name = text_field(item, key, what)
    if name in {"", ".", ".."} or any(character in name for character in "/\\:\0"):
        raise MalformedError(f"{what}: {name[:80]!r} is not a plain file name")
    return name
