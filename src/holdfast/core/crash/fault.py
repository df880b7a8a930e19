"""What is done to a job at a crash point."""

import errno
from dataclasses import dataclass
from typing import Literal

from holdfast.core.crash.operation import CallName

FaultName = Literal[
    "kill", "disk-full", "io-error", "read-only", "power-cut", "pause", "cut", "hang"
]
Struck = Literal["files", "messages", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One kind of misfortune."""

    name: FaultName
    does: str
    error: int | None = None
    """The errno with which the operation fails; None where the process is stopped instead."""
    then: frozenset[CallName] = frozenset()
    """Calls that fail from then on, until the job is started again."""
    strikes: Struck = "files"
    """The kind of point at which it can happen."""


FAULTS: dict[FaultName, Fault] = {
    fault.name: fault
    for fault in (
        Fault(name="kill", does="SIGKILL to every process of the job", strikes="all"),
        Fault(
            name="disk-full",
            does="no space left on the device, until the next start",
            error=errno.ENOSPC,
            then=frozenset({"create", "mkdir", "link", "fsync"}),
        ),
        Fault(name="io-error", does="this one operation fails", error=errno.EIO),
        Fault(
            name="read-only",
            does="the file system is read-only, until the next start",
            error=errno.EROFS,
            then=frozenset({"create", "truncate", "rename", "link", "unlink", "mkdir"}),
        ),
        Fault(name="power-cut", does="SIGKILL, and the newest file that was not synced is torn"),
        Fault(
            name="pause",
            does="SIGSTOP; it wakes after another has taken over and is done",
            strikes="all",
        ),
        Fault(
            name="cut",
            does="the connection is closed; the job lives",
            strikes="messages",
        ),
        Fault(
            name="hang",
            does="the connection carries nothing for some seconds, then goes on",
            strikes="messages",
        ),
    )
}


def fits(fault: Fault, *, message: bool) -> bool:
    """Whether a fault can happen at a message, or at an operation on a file."""
    return fault.strikes == "all" or fault.strikes == ("messages" if message else "files")
