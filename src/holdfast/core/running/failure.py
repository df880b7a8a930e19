"""Why a query ended: the one line that says it, and whether the cause can pass by itself.

A cause that can pass (a broker that is away, a lock, a full disk) is waited out. Any other is left
down: starting again would fail again, and hide that somebody has to look. What is not known is not
called passing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from holdfast.errors import FencedError, HoldfastError, UnreachableError

CODE: Final = "HF023"
"""A query failed in Spark, in a connector or in the user's own code."""

CAUSE_CHARACTERS_MAX: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a query ended."""

    code: str
    cause: str
    passing: bool
    """Whether it is worth starting again."""
    fenced: bool
    next_action: str
    exit_code: int = 1


@dataclass(frozen=True, slots=True)
class _Sign:
    pattern: re.Pattern[str]
    passing: bool
    next_action: str


def _sign(pattern: str, passing: bool, next_action: str) -> _Sign:
    return _Sign(re.compile(pattern, re.IGNORECASE), passing, next_action)


# The first that fits decides, so what must not be tried again comes first.
_SIGNS: Final = (
    _sign(
        r"CONCURRENT_STREAM_LOG_UPDATE|Race while writing batch|DELTA_CONCURRENT_TRANSACTION"
        r"|multiple streaming queries (?:are )?concurrently using",
        False,
        "find the other driver that writes to this checkpoint, and stop it",
    ),
    _sign(
        r"KAFKA_DATA_LOSS|failOnDataLoss|PARTITION_OFFSET_CHANGED",
        False,
        "the source no longer has what the checkpoint asks for: `holdfast show` names the position",
    ),
    _sign(
        r"java\.lang\.OutOfMemoryError|GC overhead limit",
        False,
        "give Spark more memory: spark.driver.memory in `spark` of the declaration",
    ),
    _sign(
        r"No space left on device|Disk quota exceeded|ENOSPC|disk is full",
        True,
        "make room: the query goes on by itself when there is space",
    ),
    _sign(
        r"database is locked|DELTA_CONCURRENT_|Concurrent(?:Append|DeleteRead|DeleteDelete)",
        True,
        "find out which other writer holds the table",
    ),
    _sign(
        r"Connection refused|Connection reset|NoRouteToHost|UnknownHost|Broken pipe"
        r"|SocketTimeout|TimeoutException|timed out|could not be established"
        r"|Broker may not be available|BrokerNotAvailable|LEADER_NOT_AVAILABLE"
        r"|NOT_LEADER|NetworkException|DisconnectException|No resolvable bootstrap"
        r"|Failed to (?:construct|create) (?:new )?kafka|Timed out waiting for a node",
        True,
        "check that the server answers; the query goes on by itself when it does",
    ),
    _sign(
        r"SlowDown|Service ?Unavailable|\b50[03]\b.*(?:S3|Amazon)|ServerBusy|OperationTimedOut"
        r"|Too many requests|RequestTimeout",
        True,
        "the store is overloaded; the query goes on by itself",
    ),
    _sign(
        r"ExecutorLostFailure|Lost executor|Slave lost|Worker lost|FetchFailed"
        r"|Python worker exited unexpectedly|executor .* exited",
        True,
        "an executor or worker was lost; look why (memory?) if it happens again",
    ),
)

_NOISE: Final = re.compile(r"^(?:at |\.\.\. \d+ more|=== |JVM stacktrace|Traceback |File \"|\^+$)")
_CLASS_NAME: Final = re.compile(r"^(?:Caused by: )?(?:[A-Za-z_$][\w$]*\.)+(?:[A-Z][\w$]*): ")


def of_error(error: HoldfastError) -> Failure:
    """What one of our own errors means for the query that it ended."""
    return Failure(
        code=error.code,
        cause=error.message,
        passing=isinstance(error, UnreachableError),
        fenced=isinstance(error, FencedError),
        next_action=error.next_action,
        exit_code=error.exit_code,
    )


def of_text(text: str) -> Failure:
    """What the message of Spark's exception means."""
    sign = next((sign for sign in _SIGNS if sign.pattern.search(text)), None)
    return Failure(
        code=CODE,
        cause=cause_line(text),
        passing=sign is not None and sign.passing,
        fenced=False,
        next_action=(
            sign.next_action
            if sign
            else "mend the cause, then start it again: nothing is lost meanwhile"
        ),
    )


def cause_line(text: str) -> str:
    """The line that says why, out of the many of a stack trace: the innermost cause."""
    lines = list(_speaking_lines(text))
    causes = [line for line in lines if line.startswith("Caused by: ")]
    python = [line for line in lines if re.match(r"^[A-Za-z_.]*(?:Error|Exception): ", line)]
    chosen = (causes or python or lines or ["no reason was given"])[-1 if causes or python else 0]
    return _CLASS_NAME.sub("", chosen).removeprefix("Caused by: ")[:CAUSE_CHARACTERS_MAX]


def is_interruption(text: str) -> bool:
    """Whether this is how a query ends that was stopped amid a batch."""
    return re.search(r"Interrupted|was cancelled|SparkContext was shut down", text) is not None


def _speaking_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not _NOISE.match(stripped):
            yield stripped
