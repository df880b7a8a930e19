"""Facts about a machine, gathered from programs, sockets and folders that tests make."""

import os
import socket
import sys
from pathlib import Path

import fsspec
import pytest
from scripts.servers.moto import S3Server

from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.surroundings import base_probe, java
from holdfast.adapters.surroundings.base_probe import free_bytes, probe_records
from holdfast.adapters.surroundings.java import look_at_java
from holdfast.adapters.surroundings.master_port import ask_master
from holdfast.adapters.surroundings.packages import is_there, spark_version, version_of
from holdfast.adapters.surroundings.python_worker import look_at_worker

ANSWER = 'openjdk version "17.0.1"'


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def files_below(folder: Path) -> list[Path]:
    return list(folder.rglob("*"))


def test_java_home_goes_before_the_path(tmp_path: Path) -> None:
    path = program(tmp_path / "path" / "java", "echo other >&2")
    home = program(tmp_path / "home" / "bin" / "java", f"echo '{ANSWER}' >&2")
    environ = {"PATH": str(path.parent), "JAVA_HOME": str(tmp_path / "home")}
    fact = look_at_java(environ)
    assert (fact.path, fact.answer, fact.failure) == (str(home), ANSWER, "")
    assert look_at_java({"PATH": str(path.parent)}).answer == "other"
    # Spark looks no further where JAVA_HOME is wrong.
    assert look_at_java({**environ, "JAVA_HOME": str(tmp_path)}).path == ""
    assert look_at_java({"PATH": str(tmp_path)}).path == ""


def test_a_java_that_fails_or_hangs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = program(tmp_path / "java", "echo broken >&2; exit 3")
    environ = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    assert look_at_java(environ).failure == "it ended with 3: broken"
    found.write_text("no program at all\0")
    assert look_at_java(environ).failure
    monkeypatch.setattr(java, "ANSWER_SECONDS_MAX", 0.2)
    program(found, "exec sleep 600")
    assert look_at_java(environ).failure == "none within 0.2 s"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('ID=debian\nVERSION_ID="13"\n', ("debian", 13)),
        ('ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', ("debian", 0)),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', ("fedora", 0)),
        ("ID=arch\n", ("other", 0)),
        (None, ("other", 0)),
    ],
)
def test_the_system_is_told_from_its_release_file(
    text: str | None, wanted: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "os-release"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr(java, "_OS_RELEASE", str(file))
    monkeypatch.setattr(sys, "platform", "linux")
    fact = look_at_java({"PATH": ""})
    assert (fact.system, fact.release) == wanted


def test_packages_are_found_without_importing_them() -> None:
    assert spark_version() == version_of("pyspark")
    assert version_of("no-such-distribution") is None
    assert is_there("json")
    assert not is_there("no_such_module")


def test_a_pyspark_that_cannot_be_imported_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert spark_version() is None


def test_the_pyspark_that_would_be_imported_is_the_one_that_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "pyspark"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "version.py").write_text('__version__: str = "4.1.9"\n')
    # Another test of this process may have imported the real one.
    monkeypatch.delitem(sys.modules, "pyspark", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert spark_version() == "4.1.9"


def test_the_worker_is_compared_by_folder_and_program(tmp_path: Path) -> None:
    path = {"PATH": f"{tmp_path}{os.pathsep}{Path(sys.executable).parent}"}
    assert look_at_worker({}, path, is_local=True).asked == ""
    ours = look_at_worker({}, {**path, "PYSPARK_PYTHON": sys.executable}, is_local=True)
    assert ours.is_ours
    (tmp_path / "elsewhere").symlink_to(sys.executable)
    other = look_at_worker({}, {**path, "PYSPARK_PYTHON": "elsewhere"}, is_local=True)
    assert (other.is_ours, other.path) == (False, str(tmp_path / "elsewhere"))
    named = {**path, "PYSPARK_PYTHON": sys.executable}
    by_setting = look_at_worker({"spark.pyspark.python": "nope"}, named, is_local=True)
    assert (by_setting.asked_by, by_setting.path) == ("spark.pyspark.python", "")


def test_masters_are_asked_at_their_port() -> None:
    assert ask_master("local[2]") is None
    assert ask_master("yarn") is None
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert ask_master(f"spark://127.0.0.1:{port}") == ""
        assert ask_master(f"spark://nonsense,127.0.0.1:{port}") == ""
    failure = ask_master(f"spark://127.0.0.1:{port}")
    assert failure is not None
    assert "refused" in failure
    assert ask_master("spark://host") == "'host' is no host:port"


def test_a_probe_leaves_no_trace(tmp_path: Path) -> None:
    probe = probe_records("a", str(tmp_path / "not yet" / "base" / "a"))
    assert (probe.failure, probe.is_exclusive) == ("", True)
    assert probe.skew_ms is not None
    assert files_below(tmp_path) == []


def test_a_probe_keeps_what_was_there(tmp_path: Path) -> None:
    kept = tmp_path / "_holdfast" / "a" / "identity.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    assert probe_records("a", f"file://{tmp_path}/a").failure == ""
    assert [path for path in files_below(tmp_path) if path.is_file()] == [kept]


def test_a_base_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    probe = probe_records("a", str(tmp_path / "file" / "below" / "a"))
    assert probe.failure.startswith("cannot be read or written")
    assert probe.next_action
    unknown = probe_records("a", "ftp://host/a")
    assert unknown.failure == "no store is known for ftp://"


def test_the_clock_is_that_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = LocalRecords.create

    def late(self: LocalRecords, name: str, data: bytes) -> bool:
        made = create(self, name, data)
        (path,) = (p for p in files_below(tmp_path) if p.name == name)
        at = path.stat().st_mtime + 3_600 if made else path.stat().st_mtime
        os.utime(path, (at, at))
        return made

    monkeypatch.setattr(LocalRecords, "create", late)
    skew = probe_records("a", str(tmp_path / "a")).skew_ms
    assert skew is not None
    assert 3_500_000 < skew <= 3_600_000


def test_a_store_that_creates_twice_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overwrite(self: LocalRecords, name: str, data: bytes) -> bool:
        self.replace(name, data)
        return True

    monkeypatch.setattr(LocalRecords, "create", overwrite)
    assert probe_records("a", str(tmp_path / "a")).is_exclusive is False
    assert files_below(tmp_path) == []


def test_a_probe_in_a_store() -> None:
    probe = probe_records("a", "memory://bucket/checkpoints/a")
    assert probe.failure == ""
    found = fsspec.filesystem("memory").find("/bucket")
    assert found == []


def test_room_is_that_of_the_disk_of_the_nearest_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    class Usage:
        free = 7

    def usage(path: str) -> Usage:
        asked.append(path)
        return Usage()

    monkeypatch.setattr(base_probe.shutil, "disk_usage", usage)
    assert free_bytes(str(tmp_path / "not" / "yet")) == 7
    assert free_bytes(f"file://{tmp_path}") == 7
    assert asked == [str(tmp_path), str(tmp_path)]
    assert free_bytes("s3://bucket/x") is None


@pytest.mark.server
def test_a_probe_in_a_bucket(s3_checkpoint: str, s3_environment: S3Server) -> None:
    probe = probe_records("a", s3_checkpoint)
    assert (probe.failure, probe.is_exclusive) == ("", True)
    assert probe.skew_ms is not None
    bucket = s3_checkpoint.split("/")[2]
    assert "Contents" not in s3_environment.client().list_objects_v2(Bucket=bucket)
    nowhere = probe_records("a", "s3://no-such-bucket-of-ours/base/a")
    assert nowhere.failure
    assert nowhere.next_action


def test_a_store_without_its_library_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    probe = probe_records("a", "s3://bucket/base/a")
    assert probe.not_installed
    assert probe.next_action == "pip install 'holdfast[s3]'"
