"""The watching side of the gate: asks what to do with each durable operation of a process tree.

Linux seccomp user notification (kernel 5.5 and newer; no root, no tracer): the call waits inside
the kernel, before it has any effect, until it is told to go on or which error to give.
"""

import array
import errno
import fcntl
import importlib.util
import os
import platform
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, Self

from holdfast.adapters.gate.calls import CREATES_OR_TRUNCATES, MACHINES, Call
from holdfast.adapters.gate.program import filter_program
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.core.crash.operation import CallName, Operation
from holdfast.errors import UnreachableError

Decide = Callable[[Operation], int | Literal["hold"]]
"""0 lets the operation pass, an errno makes it fail with that error, "hold" leaves it waiting."""

_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101
_NOTIFICATION, _RESPONSE, _GO_ON = "QIIiIQ6Q", "Qqii", 1
_PATH_BYTES_MAX, _PAGE_BYTES = 4096, 4096
_HERE = -100
"""AT_FDCWD: the path begins at the working folder of the process."""
_LOOK_S = 0.1
_LAUNCHER = "holdfast.adapters.gate.launcher"
"""Run as a file by the bare interpreter, never imported."""
_TRUNCATES = CREATES_OR_TRUNCATES & ~os.O_CREAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An operation that waits: nothing of it has happened."""

    operation: Operation
    cookie: int
    message: threading.Event | None = None
    """Of a message, what the proxy waits for before it hands it on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The program came to its end by itself."""

    exit_code: int


class Gate:
    """One program and whatever it starts; none of them outlives the `with` block."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environ: Mapping[str, str],
        output: Path,
        talk: Path,
        pass_descriptors: tuple[int, ...] = (),
    ) -> None:
        """Start it; raises UnreachableError where this machine allows no gate."""
        machine = MACHINES.get(platform.machine())
        if machine is None or not sys.platform.startswith("linux"):
            raise _not_here(f"{platform.system()} on {platform.machine()}")
        self._calls = machine.calls
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with ours, theirs:
            launcher = [sys.executable, "-I", "-S", _file_of(_LAUNCHER), str(theirs.fileno())]
            numbers = [str(os.getpid()), str(machine.seccomp), filter_program(machine).hex()]
            self.group = ProcessGroup(
                [*launcher, *numbers, "--", *arguments],
                folder=folder,
                environ=environ,
                output=output,
                talk=talk,
                pass_descriptors=(theirs.fileno(), *pass_descriptors),
            )
            theirs.close()
            self._listener = _granted(ours, self.group)
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._bell_lock = threading.Lock()
        self._interruption: Held | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        self.group.kill()
        os.close(self._listener)
        with self._bell_lock:
            os.close(self._bell)
            self._bell = -1

    def watch(self, decide: Decide, *, within_s: float) -> Held | Ended | None:
        """Ask about each operation until one is held or the program ends; None after the time."""
        deadline = time.monotonic() + within_s
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._bell, select.POLLIN)
        while time.monotonic() < deadline:
            events = poll.poll(_LOOK_S * 1000)
            interruption = self._taken_interruption()
            if interruption is not None:
                return interruption
            if any(event & select.POLLIN for number, event in events if number != self._bell):
                held = self._one(decide)
                if held is not None:
                    return held
                continue
            code = self.group.ended()
            if code is not None:
                return Ended(exit_code=code)
            if events:  # POLLHUP: nobody is left under the filter; its exit code comes soon
                time.sleep(_LOOK_S / 10)
        return None

    def interrupt(self, held: Held) -> None:
        """End the watch, from another thread: something else than an operation is held."""
        with self._bell_lock:
            if self._bell >= 0:  # else the program is gone already
                self._interruption = held
                os.eventfd_write(self._bell, 1)

    def _taken_interruption(self) -> Held | None:
        with self._bell_lock:  # without it, seen before its bell has rung
            if self._interruption is None:
                return None
            os.eventfd_read(self._bell)
            interruption, self._interruption = self._interruption, None
            return interruption

    def release(self, held: Held, error: int = 0) -> None:
        """Let a held operation go on, or fail; a message only goes on."""
        if held.message is not None:
            held.message.set()
        else:
            self._answer(held.cookie, error)

    def _one(self, decide: Decide) -> Held | None:
        request = bytearray(struct.calcsize(_NOTIFICATION))
        try:
            fcntl.ioctl(self._listener, _RECEIVE, request)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR):
                return None  # the caller died meanwhile
            raise
        cookie, pid, _, number, _, _, *arguments = struct.unpack(_NOTIFICATION, request)
        operation = _operation(pid, self._calls[number], arguments)
        decision = 0 if operation is None else decide(operation)
        if decision == "hold":
            assert operation is not None
            return Held(operation=operation, cookie=cookie)
        self._answer(cookie, decision)
        return None

    def _answer(self, cookie: int, error: int) -> None:
        answer = struct.pack(_RESPONSE, cookie, 0, -error, 0 if error else _GO_ON)
        try:
            fcntl.ioctl(self._listener, _ANSWER, answer)
        except OSError as failure:
            if failure.errno != errno.ENOENT:  # the caller died meanwhile
                raise


@cache
def gate_obstacle() -> str | None:
    """Why no gate can be had on this machine; None where it works, tried once."""
    try:
        nowhere = Path(os.devnull)
        with Gate(
            ["true"], folder=Path("/"), environ=dict(os.environ), output=nowhere, talk=nowhere
        ) as gate:
            ended = gate.watch(lambda operation: 0, within_s=10.0)
    except UnreachableError as error:
        return error.message
    if ended != Ended(exit_code=0):
        return "the kernel granted a gate, and a program behind it did not end"
    return None


def _file_of(module: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    return spec.origin


def _granted(channel: socket.socket, group: ProcessGroup) -> int:
    room = socket.CMSG_SPACE(array.array("i", [0]).itemsize)
    data, control, _, _ = channel.recvmsg(struct.calcsize("i"), room)
    if control:
        return int(array.array("i", control[0][2])[0])
    group.kill()
    reason = os.strerror(struct.unpack("i", data)[0]) if data else "its launcher did not start"
    raise _not_here(reason)


def _not_here(reason: str) -> UnreachableError:
    return UnreachableError(f"no gate can be had here (seccomp user notification): {reason}")


def _operation(pid: int, call: Call, arguments: list[int]) -> Operation | None:
    """What is asked for; None where nothing lasting would change, or the caller is gone."""
    name: CallName = call.name  # type: ignore[assignment]
    try:
        if call.descriptor is not None:
            return Operation(call=name, path=_of_descriptor(pid, arguments[call.descriptor]))
        paths = [_path(pid, arguments, folder, path) for folder, path in call.paths]
    except OSError:
        return None
    if name == "mkdir" and os.path.isdir(paths[-1]):
        return None
    if call.flags is not None and os.path.exists(paths[-1]):
        if not arguments[call.flags] & _TRUNCATES:
            return None
        name = "truncate"
    if name == "unlink" and not os.path.lexists(paths[-1]):
        return None
    origin = paths[0] if len(paths) > 1 else None
    return Operation(call=name, path=paths[-1], origin=origin)


def _path(pid: int, arguments: list[int], folder: int | None, path: int) -> str:
    text = _text_at(pid, arguments[path])
    if text.startswith("/"):
        return os.path.normpath(text)
    descriptor = (
        _HERE
        if folder is None
        else struct.unpack("i", struct.pack("I", arguments[folder] & 0xFFFFFFFF))[0]
    )
    start = (
        os.readlink(f"/proc/{pid}/cwd") if descriptor == _HERE else _of_descriptor(pid, descriptor)
    )
    return os.path.normpath(os.path.join(start, text))


def _of_descriptor(pid: int, descriptor: int) -> str:
    return os.readlink(f"/proc/{pid}/fd/{descriptor}")


def _text_at(pid: int, address: int) -> str:
    """The path at an address of another process, read page by page: the next may not be there."""
    found = b""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        while b"\0" not in found and len(found) < _PATH_BYTES_MAX:
            here = address + len(found)
            memory.seek(here)
            found += memory.read(_PAGE_BYTES - here % _PAGE_BYTES)
    return os.fsdecode(found.split(b"\0")[0])
