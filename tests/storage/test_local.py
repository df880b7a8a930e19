"""A folder on a local disk: nothing is followed out of it or odd is opened, sizes are right."""

import os
import socket
import threading
from pathlib import Path

import pytest

from holdfast.adapters.storage import walking
from holdfast.adapters.storage.local import LocalStorage
from holdfast.adapters.storage.opening import open_storage, shown
from holdfast.errors import UnreachableError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ck"
    (folder / "offsets").mkdir(parents=True)
    (folder / "offsets" / "0").write_bytes(b"v1\n")
    (folder / "metadata").write_bytes(b"{}")
    return folder


class TestNothingIsFollowed:
    def test_links_pipes_and_sockets_are_oddities(self, folder: Path) -> None:
        (folder.parent / "secret").write_bytes(b"secret")
        (folder / "offsets" / "1").symlink_to(folder.parent / "secret")
        (folder / "elsewhere").symlink_to(folder.parent)
        os.mkfifo(folder / "pipe")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder / "socket"))
            tree = LocalStorage(folder).walk()
        assert {oddity.path for oddity in tree.oddities} == {
            "offsets/1",
            "elsewhere",
            "pipe",
            "socket",
        }
        assert tree.file_count == 2
        assert tree.size_bytes == 5

    @pytest.mark.parametrize("name", ["offsets/1", "elsewhere/secret", "pipe", "offsets"])
    def test_reading_one_by_name_is_refused_without_waiting(self, folder: Path, name: str) -> None:
        (folder.parent / "secret").write_bytes(b"secret")
        (folder / "offsets" / "1").symlink_to(folder.parent / "secret")
        (folder / "elsewhere").symlink_to(folder.parent)
        os.mkfifo(folder / "pipe")
        content = LocalStorage(folder).read([name], 1000)[name]
        assert isinstance(content, UnreachableError)
        assert LocalStorage(folder).stat([name]) == {}

    def test_a_linked_folder_is_not_opened_as_part_of_its_base(self, folder: Path) -> None:
        (folder / "elsewhere").symlink_to(folder.parent)
        with pytest.raises(UnreachableError):
            LocalStorage(folder).at("elsewhere")

    def test_the_root_itself_may_be_a_link(self, folder: Path) -> None:
        link = folder.parent / "link"
        link.symlink_to(folder)
        assert open_storage(str(link)).walk().file_count == 2


class TestSizes:
    @pytest.fixture
    def many(self, tmp_path: Path) -> Path:
        for directory in range(5):
            (tmp_path / f"d{directory}").mkdir()
            for number in range(40):
                (tmp_path / f"d{directory}" / str(number)).write_bytes(b"x" * number)
        return tmp_path

    def sizes_of(self, root: Path) -> dict[str, int]:
        return {
            path.name: sum(file.stat().st_size for file in path.iterdir())
            for path in root.iterdir()
        }

    def listed(self, root: Path) -> dict[str, tuple[list[str], int]]:
        tree = LocalStorage(root).walk()
        return {p: (sorted(d.names), tree.sizes[p]) for p, d in tree.directories.items()}

    def test_a_second_process_finds_what_this_one_would(
        self, many: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (many / "d1" / "deeper").mkdir()
        (many / "d1" / "deeper" / "with\nnewline \udcff").write_bytes(b"odd name")
        (many / "d2" / "link").symlink_to(many)
        alone = self.listed(many)
        used = always_a_second_process(monkeypatch)
        assert self.listed(many) == alone
        assert used and {o.path for o in LocalStorage(many).walk().oddities} == {"d2/link"}

    def test_a_second_process_that_dies_changes_nothing(
        self, many: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        alone = self.listed(many)
        used = always_a_second_process(monkeypatch, dies=True)
        assert self.listed(many) == alone
        assert used

    def test_a_walk_that_is_given_up_leaves_no_process(
        self, many: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        used = always_a_second_process(monkeypatch)
        walk = iter(walking.Walk(str(many)))
        next(walk)
        walk.close()  # type: ignore[attr-defined]
        assert [worker._process.returncode is not None for worker in used] == [True]

    def test_many_listings_at_once_share_few_processes(
        self, many: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        always_a_second_process(monkeypatch)
        found: list[int] = []
        threads = [
            threading.Thread(target=lambda: found.append(LocalStorage(many).walk().size_bytes))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(found) == {sum(self.sizes_of(many).values())}
        assert len(found) == len(threads)


def always_a_second_process(
    monkeypatch: pytest.MonkeyPatch, dies: bool = False
) -> list[walking._Worker]:
    """Let every walk, however small, have a second process; give those that were started."""
    started: list[walking._Worker] = []

    class Watched(walking._Worker):
        def __init__(self) -> None:
            super().__init__()
            started.append(self)
            if dies:
                self._process.kill()

    monkeypatch.setattr(walking, "SECOND_PROCESS_BYTES_MIN", 0)
    monkeypatch.setattr(walking, "_LARGE_DIRECTORY_BYTES", 0)
    monkeypatch.setattr(walking, "_Worker", Watched)
    return started


class TestOpening:
    def test_paths_and_file_uris_mean_the_same(self, folder: Path) -> None:
        spaced = folder.rename(folder.parent / "with space%")
        uri = spaced.as_uri()
        for location in (str(spaced), uri, uri.replace("file:///", "file:/")):
            assert open_storage(location).walk().file_count == 2

    def test_what_cannot_be_opened_is_said(self, folder: Path) -> None:
        with pytest.raises(UnreachableError, match="nothing at this path"):
            open_storage(str(folder / "no"))
        with pytest.raises(UsageError, match="a file"):
            open_storage(str(folder / "metadata"))
        with pytest.raises(UsageError, match="no store is known"):
            open_storage("ftp://host/ck")
        with pytest.raises(UsageError):
            open_storage(" ")

    def test_what_is_shown_holds_no_secret(self) -> None:
        assert shown("s3://user:secret@bucket/ck?token=secret#secret") == "s3://bucket/ck"
        assert shown("hdfs://user:secret@host:8020/ck/") == "hdfs://host:8020/ck"
        assert (
            shown("abfss://container@account.dfs.core.windows.net/ck?sig=secret")
            == "abfss://container@account.dfs.core.windows.net/ck"
        )
