"""Stop a process tree right before one file operation, chosen by its path, and kill it there.

Linux seccomp user notification: the child installs a filter before exec, every rename of it and
of its children then waits for our word. "After operation k" is "before operation k+1": on disk
the two are the same, so stopping before a rename is enough to reach any moment of a batch.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import platform
import select
import signal
import socket
import struct
import time
from collections.abc import Mapping

# System call numbers of x86_64, and which arguments are paths.
RENAMES = {82: (0, 1), 264: (1, 3), 316: (1, 3)}
SECCOMP, SET_FILTER, NEW_LISTENER = 317, 1, 8
NO_NEW_PRIVILEGES = 38
ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
RECEIVE, ANSWER = 0xC0502100, 0xC0182101
CONTINUE = 1
# Long enough for the driver to write down the progress event of the batch before.
HOLD_SECONDS = 1.0


class GateError(Exception):
    """This machine cannot do it, or the operation waited for never came."""


def run_until(command: list[str], environment: Mapping[str, str], suffix: str) -> None:
    """Run the command in its own group; SIGKILL it before the rename to a path with `suffix`."""
    if platform.machine() != "x86_64":
        raise GateError(f"the gate knows the system calls of x86_64, not of {platform.machine()}")
    pid, listener = spawn(command, environment)
    try:
        if not watch(pid, listener, suffix):
            raise GateError(f"the process ended before a rename to {suffix}")
    finally:
        os.close(listener)


def spawn(command: list[str], environment: Mapping[str, str]) -> tuple[int, int]:
    """Fork; the child starts a session, installs the filter, sends us its listener, and execs."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            rights = array.array("i", [install()])
            theirs.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            os.execve(command[0], command, dict(environment))
        finally:
            os._exit(127)
    theirs.close()
    ours.settimeout(30)
    _, control, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(4))
    ours.close()
    if not control:
        os.waitpid(pid, 0)
        raise GateError("seccomp user notification is not allowed here")
    return pid, array.array("i", control[0][2])[0]


def install() -> int:
    """Filter this process: renames ask, everything else passes."""
    rows = [(LOAD, 0, 0, 0)]
    count = len(RENAMES)
    rows += [(IF_EQUAL, count - place, 0, number) for place, number in enumerate(RENAMES)]
    rows += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, NOTIFY)]
    buffer = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("rows", ctypes.c_void_p))

    program = Program(len(rows), ctypes.cast(buffer, ctypes.c_void_p))
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    listener = library.syscall(SECCOMP, SET_FILTER, NEW_LISTENER, ctypes.byref(program))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp user notification is not allowed here")
    return int(listener)


def watch(pid: int, listener: int, suffix: str) -> bool:
    """Let every rename pass but the one waited for; whether it came."""
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if not select.select([listener], [], [], 0.2)[0]:
            continue
        request = bytearray(80)
        try:
            fcntl.ioctl(listener, RECEIVE, request)
        except OSError:
            continue
        cookie, caller, _, number, _, _, *words = struct.unpack("QIIiIQ6Q", request)
        if path_at(caller, words[RENAMES[number][1]]).endswith(suffix):
            time.sleep(HOLD_SECONDS)
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return True
        try:
            fcntl.ioctl(listener, ANSWER, struct.pack("QqiI", cookie, 0, 0, CONTINUE))
        except OSError:
            # The caller has died while it waited; there is nobody to answer.
            continue
    return False


def path_at(pid: int, address: int) -> str:
    """The zero-terminated string at an address of another process."""
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(4096 - address % 4096).split(b"\0")[0].decode("utf8", "replace")
    except OSError:
        return ""
