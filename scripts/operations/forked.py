"""`holdfast` as a process of its own behind the gate, forked and not started: a tenth of the time.

The child is a real process: its own pid, its own lease, killed by SIGKILL. It only has the modules
in memory that a start would load first.
"""

import array
import os
import platform
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path

from holdfast.adapters.gate import launcher
from holdfast.adapters.gate.calls import MACHINES
from holdfast.adapters.gate.listener import Ended, Gate, Held
from holdfast.adapters.gate.program import filter_program
from holdfast.core.crash.operation import Operation
from holdfast.surfaces.cli import apply, undo  # noqa: F401 - loaded before the fork
from holdfast.surfaces.cli.main import main
from holdfast.surfaces.render.plan import text  # noqa: F401 - loaded before the fork

WITHIN_S = 60.0


class Child:
    """A forked process, with the methods that a gate asks of a group."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def ended(self) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def wait(self) -> int:
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code

    def kill(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()


class ForkedGate(Gate):
    """A gate around `holdfast ARGUMENTS…`; killed at the end of the `with` block."""

    def __init__(self, arguments: Sequence[str], said: Path) -> None:
        machine = MACHINES[platform.machine()]
        self._calls = machine.calls
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with ours, theirs:
            pid = os.fork()
            if pid == 0:
                _become(arguments, said, theirs, machine.seccomp, filter_program(machine))
            room = socket.CMSG_SPACE(array.array("i", [0]).itemsize)
            _, control, _, _ = ours.recvmsg(struct.calcsize("i"), room)
            self._listener = array.array("i", control[0][2])[0]
        self.group = Child(pid)  # type: ignore[assignment]
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._bell_lock = threading.Lock()
        self._interruption = None


def run(arguments: Sequence[str], said: Path) -> int:
    """One command, left alone; its exit code."""
    pid = os.fork()
    if pid == 0:
        _run(arguments, said)
    return Child(pid).wait()


def run_until(arguments: Sequence[str], said: Path, below: Path, point: int) -> Operation | int:
    """Kill a command before its durable call number `point` below a folder, counted from 1.

    The call that was not made, or the exit code where it has fewer of them.
    """
    count = 0

    def decide(operation: Operation) -> int | str:
        nonlocal count
        if not is_below(operation, below):
            return 0
        count += 1
        return "hold" if count == point else 0

    with ForkedGate(arguments, said) as gate:
        seen = gate.watch(decide, within_s=WITHIN_S)  # type: ignore[arg-type]
        if isinstance(seen, Held):
            return seen.operation
        assert isinstance(seen, Ended), f"no end within {WITHIN_S} s: {arguments}"
        return seen.exit_code


def is_below(operation: Operation, folder: Path) -> bool:
    paths = (operation.path, operation.origin or "")
    return any(path == str(folder) or path.startswith(f"{folder}/") for path in paths)


def _become(
    arguments: Sequence[str], said: Path, channel: socket.socket, number: int, program: bytes
) -> None:
    # Opened before the filter is there: only what the command does is to be counted.
    _redirect(said)
    listener = launcher._install(number, program)
    if listener < 0:
        os._exit(99)
    granted = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))]
    channel.sendmsg([struct.pack("i", 0)], granted)
    os.close(listener)
    channel.close()
    _main(arguments)


def _run(arguments: Sequence[str], said: Path) -> None:
    _redirect(said)
    _main(arguments)


def _redirect(said: Path) -> None:
    descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)


def _main(arguments: Sequence[str]) -> None:
    """Never returns: nothing of the parent's may be cleaned up here."""
    code = 70
    try:
        sys.argv = ["holdfast", *arguments]
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
