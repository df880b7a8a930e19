"""What holds on every store that is not S3: the same answers as on disk, and nothing written."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from scripts.servers.loopback import UnavailableError

from holdfast.adapters.storage.opening import open_storage
from holdfast.flows.fleet import fleet
from holdfast.flows.show import show
from holdfast.surfaces.render.show_json import show_result
from tests.golden_cases import GOLDEN

HOLDFAST = str(Path(sys.executable).parent / "holdfast")
CASES = ("killed_in_sink", "kafka", "agg_rocksdb", "join_v2")
BY_STORE = ("committed_at_ms", "planned_at_ms", "integrity")
"""Times are the store's; and on a store only the needed files are read, so fewer are checked."""

Server = TypeVar("Server")


@contextmanager
def or_skip(starting: AbstractContextManager[Server]) -> Iterator[Server]:
    """The server, or the reason why it cannot be had here."""
    try:
        server = starting.__enter__()
    except UnavailableError as error:
        pytest.skip(str(error))
    try:
        yield server
    finally:
        starting.__exit__(None, None, None)


def golden_files(name: str) -> dict[str, bytes]:
    """The files of a golden checkpoint as another store has them: without Hadoop's checksums."""
    folder = GOLDEN / "4.2.0" / name / "checkpoint"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not (path.name.startswith(".") and path.name.endswith(".crc"))
    }


def all_golden_files() -> dict[str, bytes]:
    """All the cases, each in a folder of its name below `jobs`."""
    return {
        f"jobs/{case}/{name}": content
        for case in CASES
        for name, content in golden_files(case).items()
    }


def check_show(url: str, name: str, folder: Path) -> None:
    """`show` says the same of a checkpoint by URL and of its copy on disk."""
    golden = GOLDEN / "4.2.0" / name / "checkpoint"
    shutil.copytree(golden, folder, ignore=shutil.ignore_patterns(".*.crc"))
    on_disk, on_store = show(str(folder), state=True), show(url, state=True)
    assert comparable(show_result(on_store)) == comparable(show_result(on_disk))
    assert [f.code for f in on_store.checkpoint.warnings if f.code != "HF105"] == [
        f.code for f in on_disk.checkpoint.warnings if f.code != "HF105"
    ]
    assert on_store.checkpoint.location == url
    assert on_store.checkpoint.committed_at_ms is not None
    assert on_store.checkpoint.committed_at_ms > 1_500_000_000_000


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in result.items() if key not in BY_STORE}
    for operator in kept.get("schemas") or ():
        operator["files"].sort(key=lambda file: file["path"])  # they come in the listing's order
    return kept


def check_root(root: str) -> None:
    """The container itself as a folder: listed, walked, read, and gone down into."""
    storage = open_storage(root)
    assert "jobs" in storage.entries().folders
    files = golden_files("kafka")
    inside = storage.at("jobs/kafka")
    assert set(inside.entries().files) == {name for name in files if "/" not in name}
    name = "jobs/kafka/metadata"
    assert storage.read([name, "jobs/none"], 10_000) == {
        name: files["metadata"],
        "jobs/none": None,
    }
    tree = storage.walk()
    assert {f"jobs/kafka/{f}" for f in files} <= {
        f"{path}/{leaf}" for path in tree.directories for leaf in tree.names(path)
    }
    stat = storage.stat([name])[name]
    assert stat.size_bytes == len(files["metadata"])
    assert storage.read(["jobs/none", name], 1)[name] is not None


def check_fleet(url: str) -> None:
    found = fleet(url)
    assert [member.path for member in found.members] == sorted(CASES)
    on_disk = {name: show(str(GOLDEN / "4.2.0" / name / "checkpoint")) for name in CASES}
    for member in found.members:
        checkpoint = on_disk[member.path].checkpoint
        assert member.query_id == checkpoint.query_id
        assert (member.planned, member.in_flight) == (checkpoint.offsets.last, checkpoint.in_flight)


def refused(url: str, env: dict[str, str], *secrets: str) -> str:
    """What the command says of a location that it cannot look at; nothing else, and no secret."""
    done = subprocess.run(
        [HOLDFAST, "show", url, "--output", "json"],
        capture_output=True,
        text=True,
        env=env,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert not [secret for secret in secrets if secret in done.stdout + done.stderr]
    error = json.loads(done.stdout)["error"]
    assert error["next_action"]
    return f"{error['code']} {error['message']}"


def check_unwritten(listing: Callable[[], object], look: Callable[[], object]) -> None:
    before = listing()
    assert before
    look()
    assert listing() == before
