"""What MariaDB, MySQL and their driver say, as errors of ours.

The server's own words are passed on only where they cannot hold a value of the user's.
"""

from typing import Any

from holdfast.core.secret_text import hide
from holdfast.errors import HoldfastError, RefusedError, UnreachableError, UsageError

_LOCKS = frozenset({1205, 1213, 3572})
"""Waited too long for a lock; deadlock; NOWAIT."""
_GONE = frozenset({0, 1040, 1053, 1077, 1079, 1152, 1927, 2002, 2003, 2006, 2013, 2014, 2055})
"""Too many connections, shut down, killed, not there, gone away, lost."""
_READ_ONLY = frozenset({1290, 1792, 1836, 3100})
_FULL = frozenset({1021, 1026, 1114, 3, 28})
_ENDED = frozenset({1317, 1969, 3024})
_NO_RIGHT = frozenset({1044, 1045, 1049, 1102, 1142, 1143, 1227, 1370, 1698, 2026, 2061})
_DATA = {
    1048: "a null where none may be",
    1062: "a key that is there already",
    1216: "a foreign key has no row",
    1264: "a number out of range",
    1364: "a column without a default",
    1366: "a value that the column cannot hold",
    1406: "a value that is too long",
    1452: "a foreign key has no row",
    3819: "a check does not hold",
    4025: "a check does not hold",
}


def can_pass(error: Exception) -> bool:
    """Whether the same transaction may succeed when it is tried again at once."""
    return code_of(error) in _LOCKS | _GONE


def code_of(error: Exception) -> int:
    """The server's or driver's number, 0 where there is none: then the connection is gone."""
    number = error.args[0] if error.args else 0
    return number if isinstance(number, int) else 0


def translated(
    error: Exception, location: str, secrets: tuple[str, ...], lock_wait_s: float
) -> HoldfastError:
    """Ours, without the password, the statement and its values."""
    code = code_of(error)
    if code in _LOCKS:
        return UnreachableError(
            f"another transaction holds the lock for more than {lock_wait_s:g} s ({code}); "
            "nothing was written",
            subject=location,
            next_action="end the other transaction, or raise lock_wait_seconds",
        )
    if code in _GONE:
        return _later("the server does not answer, or went away", error, location, secrets)
    if code in _FULL:
        return _later("the disk or the table is full", error, location, secrets)
    if code in _ENDED:
        return _later("the server ended a statement", error, location, secrets)
    if code in _READ_ONLY:
        return UnreachableError(
            f"the database takes no writes ({code}), and nothing was written",
            subject=location,
            next_action="name the primary in url, or let the user write",
        )
    if code in _NO_RIGHT:
        return UsageError(
            f"sql sink: {_words(error, secrets)}",
            subject=location,
            next_action="check url, password, TLS and rights",
        )
    if code in _DATA:
        return RefusedError(
            "the database refused a row, so nothing of the batch was written: "
            f"{_DATA[code]} ({code})",
            subject=location,
            next_action="change the rows or the constraint",
        )
    return RefusedError(
        f"the database refused a statement, and nothing was written: "
        f"{type(error).__name__} ({code})",
        subject=location,
        next_action="look at the log of the server; check that table and ledger were not changed",
    )


def _later(
    what: str, error: Exception, location: str, secrets: tuple[str, ...]
) -> UnreachableError:
    return UnreachableError(
        f"{what}, and nothing was written: {_words(error, secrets)}",
        subject=location,
        next_action="mend the cause; the batch is written when the server answers",
    )


def _words(error: Exception, secrets: tuple[str, ...]) -> str:
    said: Any = error.args[1] if len(error.args) > 1 else type(error).__name__
    return f"{hide(str(said).partition(chr(10))[0][:300], secrets)} ({code_of(error)})"
