"""Runs as a program of its own: installs the filter, hands the listener over, becomes the job.

    python launcher.py SOCKET PARENT SECCOMP PROGRAM -- COMMAND…

SOCKET is an inherited descriptor, PARENT the process that must stay alive, SECCOMP the number of
seccomp(2) here, PROGRAM the filter in hexadecimal. Imports nothing of Holdfast: it runs with the
bare interpreter, which starts in some twenty milliseconds.
"""

import array
import ctypes
import os
import signal
import socket
import struct
import sys

_SET_PARENT_DEATH_SIGNAL, _SET_NO_NEW_PRIVILEGES = 1, 38
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_INSTRUCTION_BYTES = 8


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("rows", ctypes.c_void_p))


def _install(number: int, program: bytes) -> int:
    """The listener of the filter, or minus the errno that says why there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return -ctypes.get_errno()
    rows = ctypes.create_string_buffer(program)
    whole = _Program(len(program) // _INSTRUCTION_BYTES, ctypes.cast(rows, ctypes.c_void_p))
    listener = libc.syscall(number, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(whole))
    return int(listener) if listener >= 0 else -ctypes.get_errno()


def _become(arguments: list[str]) -> None:
    channel = socket.socket(fileno=int(arguments[0]))
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != int(arguments[1]):
        os._exit(1)
    listener = _install(int(arguments[2]), bytes.fromhex(arguments[3]))
    if listener < 0:
        channel.send(struct.pack("i", -listener))
        os._exit(1)
    granted = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))]
    channel.sendmsg([struct.pack("i", 0)], granted)
    os.close(listener)
    channel.close()
    command = arguments[5:]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(127)


if __name__ == "__main__":
    _become(sys.argv[1:])
