"""Records on a disk: crashes, links, permissions."""

import os
from pathlib import Path

import pytest

from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.records.opening import open_records
from holdfast.errors import UnreachableError


def test_torn_temporary_files_are_passed_over(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    (tmp_path / "lease").mkdir()
    (tmp_path / "lease" / ".1.0123.tmp").write_bytes(b"{")
    assert list(records.names("lease")) == []
    assert records.create("lease/1", b"x")
    assert list(records.names("lease")) == ["1"]


def test_no_temporary_file_is_left(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.create("lease/1", b"x")
    records.create("lease/1", b"y")
    records.replace("lease/1.beat", b"x")
    assert sorted(p.name for p in (tmp_path / "lease").iterdir()) == ["1", "1.beat"]
    assert os.stat(tmp_path / "lease" / "1").st_nlink == 1


@pytest.mark.parametrize("act", ["fsync", "link"])
def test_a_crash_before_the_link_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    def crash(*arguments: object, **named: object) -> None:
        raise OSError(5, "Input/output error")

    records = LocalRecords(tmp_path)
    (tmp_path / "lease").mkdir()
    with monkeypatch.context() as broken:
        broken.setattr(os, act, crash)
        with pytest.raises(UnreachableError, match="Input/output error"):
            records.create("lease/1", b"x")
    assert records.read("lease/1") is None
    assert records.create("lease/1", b"x")


def test_a_link_whose_answer_was_lost_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS: the server made the link, the answer got lost, the second try is refused."""
    link = os.link

    def twice(*arguments: str, **named: bool) -> None:
        link(*arguments, **named)
        link(*arguments, **named)

    monkeypatch.setattr(os, "link", twice)
    records = LocalRecords(tmp_path)
    assert records.create("lease/1", b"x") is True
    assert records.create("lease/1", b"x") is False


def test_a_link_that_points_nowhere_takes_its_name(tmp_path: Path) -> None:
    (tmp_path / "lease").mkdir()
    (tmp_path / "lease" / "1").symlink_to(tmp_path / "nowhere")
    records = LocalRecords(tmp_path)
    assert records.create("lease/1", b"x") is False
    with pytest.raises(UnreachableError):
        records.read("lease/1")


def test_every_path_to_a_checkpoint_leads_to_the_same_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real" / "ck").mkdir(parents=True)
    (tmp_path / "alias").symlink_to(tmp_path / "real" / "ck")
    monkeypatch.chdir(tmp_path)
    spellings = [
        str(tmp_path / "real" / "ck"),
        f"{tmp_path}/real/ck/",
        str(tmp_path / "alias"),
        "real/ck",
        "real/../alias",
        f"file://{tmp_path}/real/ck",
        f"file:{tmp_path}/real/ck",
    ]
    locations = {open_records(spelling).location for spelling in spellings}
    assert locations == {f"file://{tmp_path}/real/_holdfast/ck"}


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lease").write_bytes(b"")
    records = LocalRecords(tmp_path)
    with pytest.raises(UnreachableError) as caught:
        records.create("lease/1", b"x")
    assert caught.value.subject.endswith("/lease/1")
    assert caught.value.next_action
    with pytest.raises(UnreachableError):
        records.names("lease")


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1")
    with pytest.raises(UnreachableError):
        LocalRecords(tmp_path).read("1")
