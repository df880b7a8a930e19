"""Which machine and process this is, and whether another process of it still runs.

On Linux a process is known by its pid, the ticks since boot at which it began, the boot and the
pid namespace. The namespace matters: two containers of one machine share the boot and count their
pids apart. Elsewhere there is no such place; the lease then goes by beats alone.
"""

import getpass
import os
import socket
import uuid
from dataclasses import replace
from pathlib import Path

from holdfast import __version__
from holdfast.adapters.clock import now_ms
from holdfast.core.running.lease import Holder

_PROC = Path("/proc")
_ENDED = "ZX"
"""States of a process that has ended and waits to be reaped: proc_pid_stat(5)."""


class ThisMachine:
    """Implements core.running.lease.Machine."""

    def me(self) -> Holder:
        """This process; every call has a new run id."""
        pid = os.getpid()
        status = _status(pid)
        return Holder(
            host=socket.gethostname(),
            place=_place() if status else "",
            pid=pid,
            pid_started=status[1] if status else 0,
            user=_user(),
            started_ms=now_ms(),
            version=__version__,
            run_id=uuid.uuid4().hex,
        )

    def process(self, holder: Holder, pid: int) -> Holder:
        """The process of this pid, by when it began."""
        status = _status(pid)
        return replace(holder, pid=pid, pid_started=status[1] if status else 0)

    def is_alive(self, holder: Holder) -> bool | None:
        """Look at the process by its pid, and at when it began."""
        if holder.pid <= 0:
            return None
        status = _status(holder.pid)
        if status is not None:
            state, started = status
            return state not in _ENDED and started == holder.pid_started
        try:
            os.kill(holder.pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):
            return None  # there is one, of another user, and /proc hides when it began
        return None


def _status(pid: int) -> tuple[str, int] | None:
    """State and start in ticks since boot; None where /proc does not show this process."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        # The name in parentheses may hold spaces and parentheses of its own.
        fields = text.rpartition(")")[2].split()
        return fields[0], int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _place() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink(_PROC / 'self/ns/pid')}"
    except (OSError, ValueError):
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
