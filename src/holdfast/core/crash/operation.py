"""A durable operation on a file, and the name by which it is known again in another run."""

import re
from dataclasses import dataclass
from typing import Literal

from holdfast.core.crash.wire.message import MessageCall

FileCall = Literal["create", "truncate", "rename", "link", "unlink", "mkdir", "fsync", "moment"]
CallName = FileCall | MessageCall
"""System calls; a moment is none, but a time after the plan of a batch; then messages of a job to a
server and of the server to the job (core/crash/wire/message.py)."""

# What differs from run to run, in the order in which it is taken out.
_CHANGING = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "*"),
    # Hadoop's FileOutputCommitter: job and attempt carry times and counters.
    (re.compile(r"(attempt|task)_\d+_\d+_(m|r)_(\d+)(_\d+)?"), r"\1_*_\3"),
    # Not the 20 digits of a Delta version, which begin with zeros.
    (re.compile(r"(?=\d*[a-f])[0-9a-f]{16,}|(?<!\d)[1-9]\d{11,}"), "*"),
    # Attempts of the files sink: every start has another epoch; the batch stays.
    (re.compile(r"(staging/\*/)\d+-(\d+)-\*"), r"\1*-\2-*"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One system call that changes what lies on a disk, or one message."""

    call: CallName
    path: str
    """What appears, changes or goes; of a rename, the new name; of a message, what it is."""
    origin: str | None = None
    """The old name, of a rename or a link."""


def name_of(path: str) -> str:
    """A path without what differs from run to run."""
    for pattern, instead in _CHANGING:
        path = pattern.sub(instead, path)
    return path
