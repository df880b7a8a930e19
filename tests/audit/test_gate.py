"""The gate, held against real programs: what it lists is what happens, and a kill is in time."""

import errno
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from holdfast.adapters.gate.calls import MACHINES
from holdfast.adapters.gate.listener import Ended, Gate, Held, gate_obstacle
from holdfast.adapters.gate.program import filter_program, instructions
from holdfast.core.crash.operation import Operation

pytestmark = pytest.mark.skipif(
    gate_obstacle() is not None, reason=f"no gate can be had here: {gate_obstacle()}"
)

Decide = Callable[[Operation], int | Literal["hold"]]


def gated(code: str, folder: Path) -> Gate:
    return Gate(
        [sys.executable, "-c", code],
        folder=folder,
        environ=dict(os.environ),
        output=folder.parent / "out",
        talk=folder.parent / "log",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


def watched(code: str, folder: Path) -> list[tuple[str, str]]:
    seen: list[tuple[str, str]] = []

    def note(operation: Operation) -> int:
        path = Path(operation.path)
        if folder in path.parents:
            seen.append((operation.call, str(path.relative_to(folder))))
        return 0

    with gated(code, folder) as gate:
        assert gate.watch(note, within_s=30) == Ended(exit_code=0)
    return seen


def test_every_lasting_operation_is_listed_in_order(folder: Path) -> None:
    code = (
        "import os\n"
        "os.mkdir('d'); f = open('d/a', 'w'); f.write('x'); f.flush(); os.fsync(f.fileno())\n"
        "os.rename('d/a', 'd/b'); os.link('d/b', 'c'); os.truncate('c', 0)\n"
        "open('c', 'w').close(); os.unlink('c'); os.unlink('d/b'); os.rmdir('d')\n"
    )
    assert watched(code, folder) == [
        ("mkdir", "d"),
        ("create", "d/a"),
        ("fsync", "d/a"),
        ("rename", "d/b"),
        ("link", "c"),
        ("truncate", "c"),
        ("truncate", "c"),
        ("unlink", "c"),
        ("unlink", "d/b"),
        ("unlink", "d"),
    ]


def test_what_changes_nothing_is_not_listed(folder: Path) -> None:
    (folder / "there").write_text("x")
    code = (
        "import os\n"
        "open('there').read(); os.close(os.open('there', os.O_RDWR | os.O_CREAT))\n"
        "os.makedirs('.', exist_ok=True)\n"
        "try: os.unlink('not there')\nexcept FileNotFoundError: pass\n"
    )
    assert watched(code, folder) == []


def test_paths_that_begin_at_a_descriptor_are_told_in_full(folder: Path) -> None:
    (folder / "d").mkdir()
    code = (
        "import os\nat = os.open('d', os.O_RDONLY)\n"
        "os.close(os.open('a', os.O_WRONLY | os.O_CREAT, dir_fd=at))\n"
        "os.rename('a', 'b', src_dir_fd=at, dst_dir_fd=at)\n"
    )
    assert watched(code, folder) == [("create", "d/a"), ("rename", "d/b")]


def test_children_and_threads_are_watched_too(folder: Path) -> None:
    code = (
        "import subprocess, sys, threading\n"
        "t = threading.Thread(target=lambda: open('thread', 'w').close()); t.start(); t.join()\n"
        "subprocess.run([sys.executable, '-c', \"open('child', 'w')\"], check=True)\n"
    )
    assert watched(code, folder) == [("create", "thread"), ("create", "child")]


def test_a_held_operation_has_not_happened_and_never_does_after_a_kill(folder: Path) -> None:
    code = "import os\nopen('a', 'w').close(); os.rename('a', 'b'); open('c', 'w')"
    with gated(code, folder) as gate:
        held = gate.watch(lambda o: "hold" if o.call == "rename" else 0, within_s=30)
        assert isinstance(held, Held)
        assert held.operation.origin == str(folder / "a")
        gate.group.kill()
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_a_held_operation_goes_on_when_it_is_released(folder: Path) -> None:
    with gated("open('a', 'w').close(); open('b', 'w').close()", folder) as gate:
        held = gate.watch(lambda o: "hold" if o.path.endswith("/a") else 0, within_s=30)
        assert isinstance(held, Held)
        assert gate.watch(lambda o: 0, within_s=0.3) is None, "it waits for our word"
        gate.release(held)
        assert gate.watch(lambda o: 0, within_s=30) == Ended(exit_code=0)
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_an_operation_can_be_made_to_fail(folder: Path, code: int) -> None:
    program = "import sys\ntry: open('a', 'w')\nexcept OSError as error: sys.exit(error.errno)\n"
    with gated(program, folder) as gate:
        ended = gate.watch(lambda o: code if o.path.endswith("/a") else 0, within_s=30)
    assert ended == Ended(exit_code=code)
    assert not list(folder.iterdir())


def test_a_kill_ends_processes_that_left_the_group(folder: Path) -> None:
    """As PySpark's daemon does with its Python workers."""
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setpgid(0, 0); open(f'{os.getpid()}', 'w').close(); time.sleep(60)\n"
        "time.sleep(0.5); open('last', 'w'); time.sleep(60)\n"
    )
    with gated(code, folder) as gate:
        gate.watch(lambda o: "hold" if o.path.endswith("/last") else 0, within_s=30)
        gate.group.kill()
    (child,) = (int(path.name) for path in folder.iterdir())
    status = Path(f"/proc/{child}/stat")
    assert not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_end_of_the_watcher_is_the_end_of_the_program(folder: Path) -> None:
    """Were it not, a program would go on under a gate that nobody keeps."""
    note = str(folder / "pid")
    inner = f"import os, time; open({note!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    watcher = (
        "import os, sys\nfrom pathlib import Path\n"
        "from holdfast.adapters.gate.listener import Gate\n"
        f"gate = Gate([sys.executable, '-c', {inner!r}], folder=Path({str(folder)!r}),\n"
        "    environ=dict(os.environ), output=Path(os.devnull), talk=Path(os.devnull))\n"
        "gate.watch(lambda o: 0, within_s=1.5)\nos._exit(0)\n"
    )
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", watcher]) == 0
    pid = int((folder / "pid").read_text())
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _lives(pid):
        time.sleep(0.02)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_program_that_is_not_there_is_told_by_its_exit_code(folder: Path) -> None:
    with Gate(
        ["no such program"],
        folder=folder,
        environ=dict(os.environ),
        output=folder.parent / "out",
        talk=folder.parent / "log",
    ) as gate:
        assert gate.watch(lambda o: 0, within_s=30) == Ended(exit_code=127)
    assert "no such program" in (folder.parent / "log").read_text()


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_fits_the_kernels_limit(machine: str) -> None:
    assert instructions(filter_program(MACHINES[machine])) < 255, "jumps are one byte far"


def test_a_watch_ends_when_something_else_is_held(folder: Path) -> None:
    waiting = threading.Event()
    held = Held(operation=Operation(call="send", path="a message"), cookie=0, message=waiting)
    with gated("import time; time.sleep(60)", folder) as gate:
        threading.Timer(0.1, gate.interrupt, [held]).start()
        assert gate.watch(lambda operation: 0, within_s=30) is held
        assert gate.watch(lambda operation: 0, within_s=0.2) is None, "once"
        gate.release(held)
    assert waiting.is_set()
    gate.interrupt(held)  # nobody is there any more, and nothing is written anywhere


def test_an_interruption_is_not_taken_before_its_bell_has_rung(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch wakes at every operation, so also between the note and the bell."""
    ring = os.eventfd_write

    def late(bell: int, count: int) -> None:
        time.sleep(0.5)
        ring(bell, count)

    monkeypatch.setattr(os, "eventfd_write", late)
    held = Held(
        operation=Operation(call="send", path="a message"), cookie=0, message=threading.Event()
    )
    busy = "import os, time\nwhile True: os.mkdir('a'); os.rmdir('a'); time.sleep(0.01)"
    with gated(busy, folder) as gate:
        threading.Timer(0.2, gate.interrupt, [held]).start()
        assert gate.watch(lambda operation: 0, within_s=30) is held
