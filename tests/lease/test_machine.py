"""Who this process is, and which others still run."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast import __version__
from holdfast.adapters import machine
from holdfast.adapters.machine import ThisMachine

MINE = ThisMachine()


def test_this_process_is_alive_and_each_attempt_is_another() -> None:
    me = MINE.me()
    assert (me.pid, me.version) == (os.getpid(), __version__)
    assert me.place.count(" ") == 1 and "pid:[" in me.place
    assert MINE.is_alive(me) is True
    assert me.shares_place(MINE.me())
    assert me.run_id != MINE.me().run_id


def test_a_reused_pid_is_not_its_predecessor() -> None:
    me = MINE.me()
    assert MINE.is_alive(replace(me, pid_started=me.pid_started - 1)) is False


def test_an_ended_process_is_dead_before_and_after_it_is_reaped() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    )
    started = int(Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[19])
    holder = replace(MINE.me(), pid=child.pid, pid_started=started)
    assert MINE.is_alive(holder) is True
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert MINE.is_alive(holder) is False
    child.communicate()
    assert MINE.is_alive(holder) is False


@pytest.mark.parametrize("pid", [0, -1, 10**30])
def test_a_pid_that_is_none_cannot_be_told(pid: int) -> None:
    assert MINE.is_alive(replace(MINE.me(), pid=pid)) is None


def test_a_name_with_parentheses_does_not_confuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "77").mkdir()
    fields = " ".join(str(n) for n in range(4, 53))
    (tmp_path / "77" / "stat").write_text(f"77 (a) S (b) c) S {fields}\n")
    monkeypatch.setattr(machine, "_PROC", tmp_path)
    assert machine._status(77) == ("S", 22)


def test_without_proc_only_beats_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_PROC", tmp_path)
    me = MINE.me()
    assert (me.place, me.pid_started) == ("", 0)
    assert not me.shares_place(me)
    assert MINE.is_alive(me) is None
    assert MINE.is_alive(replace(me, pid=2**22 - 1)) in (False, None)
