"""What PostgreSQL and its driver say, as errors of ours.

The server's own words are passed on only where they cannot hold a value of the user's: errors of
data quote the value, and are told by their code and by the names that come with them.
"""

import psycopg

from holdfast.core.secret_text import hide
from holdfast.errors import HoldfastError, RefusedError, UnreachableError, UsageError

PASSING = frozenset(
    {
        "40001",  # serialization failure
        "40P01",  # deadlock
        "55P03",  # lock not available
        "57P01",  # the server is being stopped
        "57P02",  # it crashed
        "57P03",  # it is starting up
        "53300",  # too many connections
    }
)
_LATER = ("08", "53", "57", "58", "40", "55")
"""Classes of codes whose cause can pass, if not at once."""
_NO_RIGHT = ("42501", "28000", "28P01", "3D000", "3F000")
_READ_ONLY = "25006"
_CANCELLED = "57014"
_DATA = ("22", "23")
_NEVER = (
    "password authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "certificate verify failed",
    "server does not support SSL",
    "root certificate file",
    "certificate",
)
_UNKNOWN = ('role "', 'database "')


def can_pass(error: psycopg.Error) -> bool:
    """Whether the same transaction may succeed when it is tried again at once."""
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError) and not _is_refusal(str(error))
    return state in PASSING or state.startswith("08")


def translated(
    error: psycopg.Error, location: str, secrets: tuple[str, ...], lock_wait_s: float
) -> HoldfastError:
    """Ours, without the password, the statement and its values."""
    state = error.sqlstate
    if state is None:
        return _unconnected(error, location, secrets)
    said = hide((error.diag.message_primary or "").partition("\n")[0], secrets)
    if state == "55P03":
        return UnreachableError(
            f"another transaction holds the lock for more than {lock_wait_s:g} s; "
            "nothing was written",
            subject=location,
            next_action="end the other transaction, or raise lock_wait_seconds",
        )
    if state == _READ_ONLY:
        return UnreachableError(
            f"the database takes no writes ({said}), and nothing was written",
            subject=location,
            next_action="name the primary in url, or let the role write",
        )
    if state == _CANCELLED:
        return UnreachableError(
            f"the server ended a statement ({said}), and nothing was written",
            subject=location,
            next_action="raise statement_timeout for the role, or make batches smaller",
        )
    if state in _NO_RIGHT:
        return UsageError(
            f"sql sink: {said}", subject=location, next_action="check url, password and rights"
        )
    if state[:2] in _DATA:
        return RefusedError(
            "the database refused a row, so nothing of the batch was written: "
            f"{_data(error, state)}",
            subject=location,
            next_action="change the rows or the constraint",
        )
    if state[:2] in _LATER:
        return UnreachableError(
            f"the database failed, and nothing was written: {said} ({state})",
            subject=location,
            next_action="mend the cause and start again; the batch will be written then",
        )
    return RefusedError(
        f"the database refused a statement, and nothing was written: {type(error).__name__} "
        f"({state}{_names(error)})",
        subject=location,
        next_action="look at the log of the server; check that table and ledger were not changed",
    )


def _unconnected(error: psycopg.Error, location: str, secrets: tuple[str, ...]) -> HoldfastError:
    """Without a code: the connection failed, was lost, or never came."""
    said = hide(" ".join(str(error).split()), secrets)
    if _is_refusal(said):
        return UsageError(
            f"sql sink: the server does not let us in: {_short(said)}",
            subject=location,
            next_action="check user, password, database and TLS in url",
        )
    if not isinstance(error, psycopg.OperationalError):
        return RefusedError(
            f"the driver refused a row, and nothing was written: {type(error).__name__}",
            subject=location,
            next_action="change the rows",
        )
    return UnreachableError(
        f"the server does not answer, or went away: {_short(said)}",
        subject=location,
        next_action="check that it runs; the batch is written when it answers",
    )


def _is_refusal(said: str) -> bool:
    return any(sign in said for sign in _NEVER) or (
        "does not exist" in said and any(sign in said for sign in _UNKNOWN)
    )


def _data(error: psycopg.Error, state: str) -> str:
    what = {
        "23502": "a null where none may be",
        "23503": "a foreign key has no row",
        "23505": "a key that is there already",
        "23514": "a check does not hold",
        "22021": "text that the encoding of the database cannot hold",
        "22P05": "text that the encoding of the database cannot hold",
    }.get(state, f"a value that it cannot hold, {type(error).__name__}")
    return f"{what} ({state}{_names(error)})"


def _names(error: psycopg.Error) -> str:
    diag = error.diag
    named = (
        ("table", diag.table_name),
        ("column", diag.column_name),
        ("constraint", diag.constraint_name),
    )
    return "".join(f", {what} {name!r}" for what, name in named if name)


def _short(said: str) -> str:
    """The last attempt: libpq lists every address it tried."""
    return said[-300:]
