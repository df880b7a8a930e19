"""Locations that are no checkpoint: a code, the path, what to do next, and the right exit code."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.errors import HoldfastError
from holdfast.flows.diff import diff
from holdfast.flows.fleet import fleet
from holdfast.flows.show import show
from tests.golden_cases import GOLDEN

from .measured_run import HOLDFAST, Ran, assert_bounded, run
from .small_checkpoint import make_checkpoint, write

AS_NOBODY = Path(__file__).parent / "as_nobody.py"
SOUND = GOLDEN / "4.2.0" / "kafka" / "checkpoint"
AWS_OF_NOBODY = {
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


@dataclass(frozen=True)
class Place:
    """Something that `holdfast show` is pointed at, and the code it must answer with."""

    code: str
    make: Callable[[Path], str]


def _nothing(tmp_path: Path) -> str:
    return str(tmp_path / "nothing")


def _file(tmp_path: Path) -> str:
    return str(write(tmp_path, "file", "x"))


def _below_a_file(tmp_path: Path) -> str:
    return str(write(tmp_path, "file", "x") / "below")


def _empty(tmp_path: Path) -> str:
    (tmp_path / "empty").mkdir()
    return str(tmp_path / "empty")


def _strange(tmp_path: Path) -> str:
    write(tmp_path, "photos/summer/1.jpg", b"\xff\xd8")
    return str(tmp_path / "photos")


def _delta_table(tmp_path: Path) -> str:
    write(tmp_path, "table/_delta_log/00000000000000000000.json", "{}")
    return str(tmp_path / "table")


def _sink_output(tmp_path: Path) -> str:
    write(tmp_path, "output/_spark_metadata/0", b"\xff not even text")
    return str(tmp_path / "output")


def _sink_output_that_is_a_link(tmp_path: Path) -> str:
    (tmp_path / "output").mkdir()
    (tmp_path / "output/_spark_metadata").symlink_to("/etc")
    return str(tmp_path / "output")


def _iceberg_table(tmp_path: Path) -> str:
    write(tmp_path, "table/metadata/v1.metadata.json", "{}")
    write(tmp_path, "table/data/x.parquet", "")
    return str(tmp_path / "table")


def _two_checkpoints(tmp_path: Path) -> str:
    make_checkpoint(tmp_path / "base/one")
    make_checkpoint(tmp_path / "base/two")
    return str(tmp_path / "base")


def _fifo(tmp_path: Path) -> str:
    os.mkfifo(tmp_path / "fifo")
    return str(tmp_path / "fifo")


def _dangling(tmp_path: Path) -> str:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    return str(tmp_path / "link")


def _loop(tmp_path: Path) -> str:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    return str(tmp_path / "loop")


def _too_long(tmp_path: Path) -> str:
    return str(tmp_path / ("x" * 300))


def _path_too_long(tmp_path: Path) -> str:
    return str(tmp_path / "/".join(["x" * 200] * 30))


PLACES = {
    "nothing there": Place("HF007", _nothing),
    "a file": Place("HF001", _file),
    "below a file": Place("HF007", _below_a_file),
    "an empty folder": Place("HF003", _empty),
    "somebody else's folder": Place("HF003", _strange),
    "a Delta table": Place("HF003", _delta_table),
    "a sink's output": Place("HF003", _sink_output),
    "an output whose log is a link": Place("HF003", _sink_output_that_is_a_link),
    "an Iceberg table": Place("HF003", _iceberg_table),
    "two checkpoints": Place("HF003", _two_checkpoints),
    "a fifo": Place("HF001", _fifo),
    "a dangling link": Place("HF007", _dangling),
    "a link to itself": Place("HF007", _loop),
    "a name too long": Place("HF007", _too_long),
    "a path too long": Place("HF007", _path_too_long),
    "no name": Place("HF001", lambda tmp_path: ""),
    "blanks": Place("HF001", lambda tmp_path: "  "),
    "an unknown store": Place("HF001", lambda tmp_path: "ftp://host/x"),
    "a NUL": Place("HF001", lambda tmp_path: "a\0b"),
    "a file URL": Place("HF007", lambda tmp_path: (tmp_path / "no%20thing").as_uri()),
    "half a surrogate": Place("HF007", lambda tmp_path: f"{tmp_path}/\udcff"),
    "two lines": Place("HF007", lambda tmp_path: f"{tmp_path}/a\nb"),
}
IN_A_PROCESS = ("nothing there", "a file", "an empty folder", "somebody else's folder", "two lines")


def assert_says(ran: Ran, code: str) -> None:
    assert_bounded(ran)
    assert ran.exit_code == 2
    assert ran.stdout == ""
    first, action = ran.stderr.splitlines()
    assert first.startswith(f"holdfast: {code} ")
    assert action.startswith("  next: ") and len(action) > len("  next: ")


@pytest.mark.parametrize("name", PLACES)
def test_a_bad_location_is_said_with_code_and_next_action(name: str, tmp_path: Path) -> None:
    place = PLACES[name]
    with pytest.raises(HoldfastError) as caught:
        show(place.make(tmp_path))
    assert caught.value.code == place.code
    assert caught.value.exit_code == 2
    assert caught.value.next_action


@pytest.mark.parametrize("name", PLACES)
def test_fleet_and_diff_say_no_less(name: str, tmp_path: Path) -> None:
    location = PLACES[name].make(tmp_path)
    with pytest.raises(HoldfastError) as caught:
        diff(str(SOUND), location)
    assert caught.value.next_action
    if name == "two checkpoints":
        assert len(fleet(location).members) == 2
    else:
        with pytest.raises(HoldfastError) as caught:
            fleet(location)
        assert caught.value.next_action


@pytest.mark.parametrize("name", IN_A_PROCESS)
def test_the_command_says_it_on_stderr_alone(name: str, tmp_path: Path) -> None:
    place = PLACES[name]
    assert_says(run(["show", place.make(tmp_path)]), place.code)


def test_a_program_gets_the_error_as_json(tmp_path: Path) -> None:
    location = _nothing(tmp_path)
    ran = run(["show", location, "--output", "json"])
    assert ran.exit_code == 2
    assert ran.envelope() == {
        "schema": "holdfast/error/1",
        "target": location,
        "error": {
            "code": "HF007",
            "message": "there is nothing at this path",
            "next_action": "check the path",
        },
        "warnings": [],
    }


def test_a_name_that_is_no_text_is_printed_all_the_same(tmp_path: Path) -> None:
    assert_says(run(["show", os.fsencode(tmp_path) + b"/\xff\xfe\x1b[31m"]), "HF007")


def test_a_bucket_without_credentials_and_without_an_answer() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        # Bound and never listening: whoever connects is refused at once.
        environment = {
            **os.environ,
            **AWS_OF_NOBODY,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_MAX_ATTEMPTS": "1",
        }
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
            environment.pop(name, None)
        ran = run(["show", "s3://bucket-of-nobody/checkpoint"], env=environment)
    assert_says(ran, "HF007")
    assert "credentials" in ran.stderr


@pytest.mark.parametrize(
    "odd", ["with spaces", "100%25", "two\nlines", "ünï", "..dots..", "-dash", "#?&", "x" * 255]
)
def test_a_checkpoint_may_have_an_odd_name(odd: str, tmp_path: Path) -> None:
    root = tmp_path / odd
    shutil.copytree(SOUND, root)
    assert show(str(root), verify=True).checkpoint.location == root.as_uri()
    assert fleet(str(tmp_path)).members[0].path == odd


def test_a_checkpoint_may_have_a_name_that_is_no_text(tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\n"))
    shutil.copytree(SOUND, root)
    for arguments in (["show", str(root)], ["fleet", str(tmp_path)]):
        for output in ("text", "json"):
            ran = run([*arguments, "--output", output])
            assert_bounded(ran)
            assert (ran.exit_code, ran.stderr) == (0, "")


class TestWithoutPermission:
    """As another user, for whom the permissions of a copy count."""

    @pytest.fixture
    def root(self) -> Iterator[Path]:
        # Not tmp_path: pytest closes its folder to other users whenever it starts.
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "base" / "checkpoint"
            shutil.copytree(SOUND, root)
            _open_to_all(Path(folder))
            ran = self._as_nobody(["show", str(root), "--output", "json"])
            if "No module named" in ran.stderr:
                pytest.skip("the environment lies where another user cannot go")
            assert ran.exit_code == 0, ran.stderr
            yield root
            _open_to_all(Path(folder))

    @staticmethod
    def _as_nobody(arguments: list[str]) -> Ran:
        return run(arguments, [sys.executable, str(AS_NOBODY)])

    def test_a_folder_that_may_not_be_listed(self, root: Path) -> None:
        root.chmod(0o311)
        ran = self._as_nobody(["show", str(root)])
        assert_says(ran, "HF007")
        assert "permission" in ran.stderr

    def test_a_folder_that_may_not_be_entered(self, root: Path) -> None:
        root.parent.chmod(0o000)
        assert_says(self._as_nobody(["show", str(root)]), "HF007")

    @pytest.mark.parametrize("part", ["offsets", "commits", "sources"])
    def test_a_part_that_may_not_be_listed_is_named(self, root: Path, part: str) -> None:
        (root / part).chmod(0o000)
        ran = self._as_nobody(["show", str(root), "--output", "json"])
        assert_bounded(ran)
        assert ran.exit_code in (0, 1)
        named = {(w["code"], w["path"]) for w in ran.envelope()["warnings"]}
        assert ("HF114", part) in named

    @pytest.mark.parametrize("name", ["metadata", "offsets/0", "commits/0", "sources/0/0"])
    def test_a_file_that_may_not_be_read_is_named(self, root: Path, name: str) -> None:
        (root / name).chmod(0o000)
        ran = self._as_nobody(["show", str(root), "--verify", "--output", "json"])
        assert_bounded(ran)
        assert ran.exit_code == 1
        named = {(w["code"], w["path"]) for w in ran.envelope()["warnings"]}
        assert ("HF101", name) in named

    def test_one_checkpoint_of_a_fleet(self, root: Path) -> None:
        shutil.copytree(root, root.parent / "other")
        _open_to_all(root.parent)
        root.chmod(0o000)
        ran = self._as_nobody(["fleet", str(root.parent), "--output", "json"])
        assert_bounded(ran)
        assert [m["path"] for m in ran.envelope()["result"]["checkpoints"]] == ["other"]
        named = {(w["code"], w["path"]) for w in ran.envelope()["warnings"]}
        assert ("HF114", "checkpoint") in named


def test_a_reader_that_goes_away_gets_no_traceback(tmp_path: Path) -> None:
    root = make_checkpoint(tmp_path / "checkpoint")
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [str(HOLDFAST), "show", str(root), "--output", "json"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert process.stderr == b""
    assert process.returncode == 2


def _open_to_all(folder: Path) -> None:
    folder.chmod(0o755)
    for path in folder.iterdir():
        if path.is_dir():
            _open_to_all(path)
        else:
            path.chmod(0o644)
