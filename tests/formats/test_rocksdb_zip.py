import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.formats import rocksdb_zip
from holdfast.core.formats.rocksdb_zip import (
    LogFile,
    SstFile,
    ZipMember,
    parse_rocksdb_zip,
    verify_members,
)
from holdfast.errors import CheckpointError, MalformedError, TooLargeError

from .spark_writers import mutations, snapshot_metadata, snapshot_zip

SST = SstFile(local_name="000008.sst", dfs_name="000008-a1.sst", size_bytes=1350)
MANIFEST = ("MANIFEST-000005", b"manifest" * 40)
SNAPSHOT = snapshot_zip(snapshot_metadata(), [MANIFEST, ("CURRENT", b"MANIFEST-000005\n")])
CENTRAL = b"PK\x01\x02"


def patched_central(data: bytes, offset: int, replacement: bytes) -> bytes:
    """Change the first header of the central directory."""
    place = data.index(CENTRAL) + offset
    return data[:place] + replacement + data[place + len(replacement) :]


def test_a_snapshot_lists_its_files_and_members() -> None:
    snapshot = parse_rocksdb_zip(SNAPSHOT)
    assert (snapshot.sst_files, snapshot.log_files, snapshot.key_count) == ((SST,), (), 6)
    assert snapshot.members[0] == ZipMember(name="MANIFEST-000005", size_bytes=320)
    assert [member.name for member in snapshot.members][1:] == ["CURRENT", "metadata"]


def test_log_files_are_listed() -> None:
    log = {"localFileName": "4.log", "dfsLogFileName": "4-b.log", "sizeBytes": 0}
    snapshot = parse_rocksdb_zip(snapshot_zip(snapshot_metadata(logFiles=[log])))
    assert snapshot.log_files == (LogFile(local_name="4.log", dfs_name="4-b.log", size_bytes=0),)


@pytest.mark.parametrize(
    "name",
    ["../up", "/absolute", "a/../b", "a\\b", "C:evil", "x/.."],
)
def test_a_member_that_points_outside_is_refused(name: str) -> None:
    with pytest.raises(MalformedError, match="points outside"):
        parse_rocksdb_zip(snapshot_zip(snapshot_metadata(), [(name, b"")]))


def test_a_nameless_member_is_refused() -> None:
    # zipfile ends a name at NUL, so this one is empty.
    data = snapshot_zip(snapshot_metadata(), [("name", b"")]).replace(b"name", b"\0ame")
    with pytest.raises(MalformedError, match="points outside"):
        parse_rocksdb_zip(data)


@pytest.mark.parametrize(
    "changes",
    [
        {"sstFiles": None},
        {"sstFiles": [1]},
        {"numKeys": None},
        {"sstFiles": [{"localFileName": "a", "dfsSstFileName": "b"}]},
        {"sstFiles": [{"localFileName": "a", "dfsSstFileName": "b", "sizeBytes": -1}]},
        {"sstFiles": [{"localFileName": "a", "dfsSstFileName": "../b", "sizeBytes": 1}]},
        {"sstFiles": [{"localFileName": "..", "dfsSstFileName": "b", "sizeBytes": 1}]},
        {"sstFiles": [{"localFileName": "a", "dfsSstFileName": "", "sizeBytes": 1}]},
        {"sstFiles": [{"localFileName": "a", "dfsSstFileName": "c:b", "sizeBytes": 1}]},
    ],
)
def test_false_metadata_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(MalformedError):
        parse_rocksdb_zip(snapshot_zip(snapshot_metadata(**changes)))


def test_a_zip_without_metadata_is_refused() -> None:
    with pytest.raises(MalformedError, match="no member named metadata"):
        parse_rocksdb_zip(snapshot_zip(None, [MANIFEST]))


def test_a_member_there_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = snapshot_zip(snapshot_metadata(), [MANIFEST, MANIFEST])
    with pytest.raises(MalformedError, match="twice"):
        parse_rocksdb_zip(data)


@pytest.mark.parametrize(
    ("offset", "replacement", "message"),
    [
        (8, b"\x01\x00", "encrypted"),
        (8, b"\x20\x00", "encrypted or patched"),
        (8, b"\x40\x00", "encrypted"),
        (10, b"\x0e\x00", "compression 14"),
    ],
    ids=["encrypted", "patched", "strongly encrypted", "lzma"],
)
def test_members_that_spark_never_writes_are_not_opened(
    offset: int, replacement: bytes, message: str
) -> None:
    with pytest.raises(MalformedError, match=message):
        parse_rocksdb_zip(patched_central(SNAPSHOT, offset, replacement))


def test_a_zip_version_from_the_future_is_refused() -> None:
    with pytest.raises(MalformedError, match="not a whole zip"):
        parse_rocksdb_zip(patched_central(SNAPSHOT, 6, b"\xff\x00"))


@pytest.mark.parametrize("data", [b"", b"PK", SNAPSHOT[:-30]])
def test_a_cut_zip_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_rocksdb_zip(data)


def test_a_bomb_is_refused_by_its_declared_size() -> None:
    with pytest.raises(TooLargeError, match="unpacks to more"):
        parse_rocksdb_zip(patched_central(SNAPSHOT, 24, b"\xff\xff\xff\x7f"))


def test_a_bomb_that_declares_little_is_cut_at_what_it_declares() -> None:
    bomb = snapshot_zip(snapshot_metadata(), [("big", bytes(5_000_000))])
    problem = verify_members(patched_central(bomb, 24, struct.pack("<I", 10)))
    assert problem is not None
    assert "'big' is damaged" in problem


def test_a_member_shorter_than_declared_is_damaged() -> None:
    problem = verify_members(patched_central(SNAPSHOT, 24, struct.pack("<I", 321)))
    assert problem == (
        "the RocksDB snapshot: the member 'MANIFEST-000005' has 320 bytes and declares 321"
    )


def test_too_many_members_are_not_even_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rocksdb_zip, "ZIP_MEMBERS_MAX", 2)
    with pytest.raises(TooLargeError, match="more than 2 members"):
        parse_rocksdb_zip(SNAPSHOT)


def test_a_large_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rocksdb_zip, "FILE_BYTES_MAX", 10)
    with pytest.raises(TooLargeError, match="larger than 10"):
        parse_rocksdb_zip(SNAPSHOT)


def test_verification_passes_an_untouched_snapshot() -> None:
    assert verify_members(SNAPSHOT) is None


def test_verification_names_the_damaged_member() -> None:
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("OPTIONS-000007", b"max_open_files=-1")
        archive.writestr("metadata", snapshot_metadata())
    damaged = stored.getvalue().replace(b"max_open_files=-1", b"max_open_files=-2")
    assert parse_rocksdb_zip(damaged).key_count == 6
    problem = verify_members(damaged)
    assert problem is not None
    assert "OPTIONS-000007" in problem
    assert "CRC" in problem


def test_a_damaged_metadata_member_is_named() -> None:
    data = patched_central(snapshot_zip(snapshot_metadata()), 16, b"\x00\x00\x00\x00")
    with pytest.raises(MalformedError, match="'metadata' is damaged"):
        parse_rocksdb_zip(data)


@settings(max_examples=400)
@given(
    st.one_of(
        mutations(SNAPSHOT),
        st.builds(
            patched_central,
            st.just(SNAPSHOT),
            st.integers(4, 80),
            st.sampled_from([b"\xff", b"\x00", b"\xff\xff\xff\xff", b"\x00\x08", b"\x80", b"\x01"]),
        ),
    )
)
def test_damaged_bytes_raise_only_checkpoint_errors(data: bytes) -> None:
    for read in (parse_rocksdb_zip, verify_members):
        try:
            read(data)
        except CheckpointError:
            pass
