"""Nothing outside the checkpoint is opened or listed, and nothing anywhere is written."""

import io
import json
import os
import shutil
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import holdfast
from tests.golden_cases import GOLDEN

from .measured_run import Ran, assert_bounded, run
from .small_checkpoint import operator_metadata, write

WATCHED_RUN = Path(__file__).parent / "watched_run.py"
SOUND = GOLDEN / "4.2.0"
LIBRARIES = tuple(
    f"{os.path.realpath(path)}/"
    for path in {
        *(sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib")),
        str(Path(holdfast.__file__).parent),
        "/usr/share/zoneinfo",
    }
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
LOOKING = ("open", "os.scandir", "os.listdir")
CHANGING = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.utime",
    "os.system",
    "shutil.",
    "tempfile.",
)


@dataclass(frozen=True)
class Event:
    """One thing that happened: what, with which arguments, and who asked for it."""

    name: str
    arguments: list[str]
    caller: str

    @property
    def is_import(self) -> bool:
        return self.caller.startswith("<frozen importlib")

    @property
    def is_ours(self) -> bool:
        return self.caller.startswith(str(Path(holdfast.__file__).parent))


def watch(arguments: list[str], tmp_path: Path) -> tuple[Ran, list[Event]]:
    log = tmp_path / "events.json"
    ran = run(arguments, [sys.executable, str(WATCHED_RUN), str(log)])
    assert_bounded(ran)
    lines = log.read_text(encoding="utf-8").splitlines()
    # What Python does to import a module that rich or click asks for late is Python's affair.
    events = [e for e in (Event(*json.loads(line)) for line in lines) if not e.is_import]
    assert any(event.name == "os.scandir" for event in events), "the watch saw nothing"
    return ran, events


def assert_stays_inside(events: list[Event], *roots: Path) -> None:
    inside = tuple(f"{os.path.realpath(root)}/" for root in roots)
    for event in events:
        if event.name in LOOKING:
            path = event.arguments[0]
            if not path.isdigit() and path != os.devnull:
                assert f"{os.path.realpath(path)}/".startswith((*inside, *LIBRARIES)), event
                # A name may be inside and lead out; then the opened file is the other one.
                assert not os.path.islink(path) or path in map(str, roots), event


def assert_changes_nothing(events: list[Event]) -> None:
    for event in events:
        assert not event.name.startswith(CHANGING), event
        if event.name == "open":
            _, mode, flags = event.arguments
            assert mode in ("None", "r", "rb"), event
            assert int(flags) & WRITING == 0, event


def assert_runs_nothing(events: list[Event]) -> None:
    for event in events:
        assert not event.name.startswith(("pickle.", "marshal.", "subprocess.", "socket.")), event
        if event.is_ours:
            assert event.name not in ("exec", "compile"), event


def assert_reads_only(events: list[Event], *roots: Path) -> None:
    assert_stays_inside(events, *roots)
    assert_changes_nothing(events)
    assert_runs_nothing(events)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder beside the checkpoint, full of things that look wanted."""
    folder = tmp_path / "secret"
    shutil.copytree(SOUND / "kafka" / "checkpoint", folder)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "base" / "checkpoint"
    shutil.copytree(SOUND / "tws_avro" / "checkpoint", root)
    return root


def link_out_everywhere(root: Path, secret: Path) -> None:
    (root / "offsets/90").symlink_to(secret / "offsets/0")
    (root / "offsets/.90.crc").symlink_to(secret / "offsets/.0.crc")
    (root / "commits/91").symlink_to("../../../secret/commits/0")
    shutil.rmtree(root / "sources")
    (root / "sources").symlink_to(secret / "sources")
    (root / "state/1").symlink_to(secret)
    (root / "state/0/_stateSchema/linked").symlink_to(secret)
    (root / "deeper").symlink_to("/")
    (root / "itself").symlink_to(root)
    (root / "metadata").unlink()
    (root / "metadata").symlink_to(secret / "metadata")


def point_out_everywhere(root: Path, secret: Path) -> None:
    outside = [f"file:{secret}/metadata", "../../secret/metadata", "/etc/passwd"]
    write(
        root,
        "state/0/_metadata/v2/9",
        operator_metadata(0, stateSchemaFilePaths=outside).replace("v1", "v2", 1),
    )
    schema = json.dumps({"type": "struct", "fields": []})
    entry = {
        "tableId": "../..",
        "deltaCommitVersion": 0,
        "dataSchemaJson": schema,
        "partitionSchemaJson": schema,
        "sourceMetadataPath": f"{secret}/sources/0",
    }
    write(root, "schema_log/_schema_log_x/0", f"v1\n{json.dumps(entry)}")
    files = [{"localFileName": "1.sst", "dfsSstFileName": "../../../x.sst", "sizeBytes": 1}]
    for version, name in ((80, "ordinary"), (81, "../../../../secret/metadata"), (82, "/etc/x")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("metadata", f"v1\n{json.dumps({'sstFiles': files, 'numKeys': 1})}")
            archive.writestr(zipfile.ZipInfo(name), b"x")
        write(root, f"state/0/0/{version}.zip", buffer.getvalue())
    write(root, "sources/0/0", f'v1\n{{"path":"{secret}/x","timestamp":1,"batchId":0}}')
    write(root, "sources/0/1", 'v1\n{"path":"file:/etc/passwd","timestamp":1,"batchId":1}')
    write(root, "offsets/..\\..\\x", "v1\n{}\n0")


@pytest.mark.parametrize("spread", [link_out_everywhere, point_out_everywhere])
@pytest.mark.parametrize("output", ["text", "json"])
def test_show_reads_the_checkpoint_and_nothing_else(
    spread: object, output: str, root: Path, secret: Path, tmp_path: Path
) -> None:
    assert callable(spread)
    spread(root, secret)
    for more in ([], ["--verify"], ["--state"], ["--batch", "0", "--files", "--conf"]):
        ran, events = watch(["show", str(root), *more, "--output", output], tmp_path)
        assert ran.exit_code in (0, 1)
        assert_reads_only(events, root)


def test_the_links_are_named(root: Path, secret: Path, tmp_path: Path) -> None:
    link_out_everywhere(root, secret)
    ran, _ = watch(["show", str(root), "--verify", "--output", "json"], tmp_path)
    named = {w["path"] for w in ran.envelope()["warnings"] if w["code"] == "HF114"}
    assert {"offsets/90", "commits/91", "sources", "state/1", "deeper", "itself"} <= named
    assert ran.envelope()["result"]["query_id"] is None


@pytest.mark.parametrize("spread", [link_out_everywhere, point_out_everywhere])
def test_fleet_and_diff_stay_below_what_was_named(
    spread: object, root: Path, secret: Path, tmp_path: Path
) -> None:
    assert callable(spread)
    spread(root, secret)
    (root.parent / "linked").symlink_to(secret)
    _, events = watch(["fleet", str(root.parent)], tmp_path)
    assert_reads_only(events, root.parent)
    ran, events = watch(["fleet", str(root.parent), "--output", "json"], tmp_path)
    assert_reads_only(events, root.parent)
    assert [m["path"] for m in ran.envelope()["result"]["checkpoints"]] == ["checkpoint"]
    _, events = watch(["diff", str(root), str(secret)], tmp_path)
    assert_reads_only(events, root, secret)


def test_the_checkpoint_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    ran, events = watch(["show", str(link), "--verify"], tmp_path)
    assert ran.exit_code == 0
    assert_reads_only(events, root, link)


def test_a_look_leaves_every_byte_and_time_as_it_was(root: Path, tmp_path: Path) -> None:
    def state() -> dict[str, tuple[int, int, bytes]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    before = state()
    watch(["show", str(root), "--verify"], tmp_path)
    assert state() == before
