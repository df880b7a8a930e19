"""The lease: one writer per checkpoint, without a server.

    lease/00000000000000000007            who took epoch 7; created exclusively, never changed
    lease/00000000000000000007.beat       how often it has renewed; replaced with every beat
    lease/00000000000000000007.released   it stopped cleanly; created exclusively
    lease/00000000000000000007.engine     the process that runs its queries, where it is another

The highest epoch owns the checkpoint. Every epoch is the newest plus one and none is ever removed,
so there are no gaps: the holder of n has been superseded exactly when n + 1 exists.

Clocks of two machines are never compared. Whether a holder elsewhere lives is told by its beats
alone: did the counter move while the newcomer watched, on the newcomer's own monotonic clock?
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final, Literal, Protocol

from holdfast.core.formats.json_text import decode_object, integer, text_field
from holdfast.errors import CheckpointError, MalformedError, NewerVersionError

Decision = Literal["take", "refuse", "watch"]
"""What a newcomer does: create the next epoch, give up, or look at the beats once more."""

FOLDER: Final = "lease"
BEAT_INTERVAL_S: Final = 5.0
"""Between two renewals. A beat is one small write and one small read: on S3 about 0.10 USD a day.
etcd and Kubernetes leases renew every 2 to 10 seconds."""

WATCH_S: Final = 30.0
"""How long a newcomer from elsewhere watches before it calls a holder dead: six beats, so that a
store that is slow for some seconds does not cost a living holder its lease."""

LOST_AFTER_S: Final = 25.0
"""How long a holder goes on without a renewal that reached the store. Less than WATCH_S: a holder
that is cut off gives up before a newcomer can have watched for long enough."""

EPOCH_MAX: Final = 2**63 - 1
"""Sinks keep the epoch in a BIGINT."""

_FORMAT: Final = 1
_DIGITS: Final = 20
_YEAR_10000_MS: Final = 253_402_300_800_000
_WHAT: Final = "the lease"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a lease lives; the same for everyone who shares a checkpoint."""

    beat_s: float
    watch_s: float
    lost_s: float

    def __post_init__(self) -> None:
        """Refuse a pace at which a living holder could be taken for dead."""
        if not 0 < 3 * self.beat_s <= self.watch_s or not self.beat_s <= self.lost_s < self.watch_s:
            raise ValueError("a watch takes three beats or more, and a holder gives up before it")


PACE: Final = Pace(beat_s=BEAT_INTERVAL_S, watch_s=WATCH_S, lost_s=LOST_AFTER_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The process that took an epoch, as it signed it."""

    host: str
    place: str
    """The boot and the process namespace in which the pid means something; empty where unknown."""
    pid: int
    pid_started: int
    """Clock ticks since boot at which the process began: a reused pid has another one."""
    user: str
    started_ms: int
    """When it took the epoch, by its own clock: to be shown, never to be compared."""
    version: str
    """Of Holdfast."""
    run_id: str
    """Unique for every attempt to take an epoch."""
    purpose: str = ""
    """The operation that it was taken for, by its id; empty for a run."""

    def shares_place(self, other: "Holder") -> bool:
        """Whether pids of the two can be compared: the same boot, the same namespace."""
        return self.place != "" and self.place == other.place


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One epoch, as its files say."""

    number: int
    holder: Holder
    released: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What a newcomer has seen of the beats; None where there was no whole beat to read."""

    first: int | None
    last: int | None
    seconds: float
    """On the newcomer's monotonic clock, from the end of the first look to the start of the last
    one."""


class Machine(Protocol):
    """The machine on which this process runs."""

    def me(self) -> Holder:
        """This process as it would sign an epoch now, with a run id that was never used before."""
        ...

    def process(self, holder: Holder, pid: int) -> Holder:
        """Another process of this machine, as it would be signed for the same holder."""
        ...

    def is_alive(self, holder: Holder) -> bool | None:
        """Whether that very process still runs; None where it cannot be told.

        Asked only for a holder that shares this machine's place. A process that has ended and was
        not yet reaped, and another one that got the same pid, are not alive.
        """
        ...


def decide(
    newest: Epoch | None,
    *,
    here: bool,
    alive: bool | None,
    watch: Watch | None,
    pace: Pace = PACE,
) -> Decision:
    """Whether a newcomer may create the epoch after the newest.

    `here` says that the holder shares the newcomer's place, and `alive` what the machine says of
    its process then. Without that knowledge only the beats count.
    """
    if newest is None or newest.released:
        return "take"
    if here and alive is not None:
        return "refuse" if alive else "take"
    if watch is None:
        return "watch"
    if watch.last != watch.first:
        return "refuse"
    return "take" if watch.seconds >= pace.watch_s else "watch"


def epoch_name(number: int) -> str:
    """Where an epoch is signed."""
    return f"{FOLDER}/{number:0{_DIGITS}d}"


def beat_name(number: int) -> str:
    """Where its renewals are counted."""
    return f"{epoch_name(number)}.beat"


def released_name(number: int) -> str:
    """Where its clean end is noted."""
    return f"{epoch_name(number)}.released"


def engine_name(number: int) -> str:
    """Where the process is signed that runs the queries of an epoch."""
    return f"{epoch_name(number)}.engine"


def newest_number(names: Iterable[str], location: str) -> int:
    """The highest epoch among the names of the lease folder, 0 where there is none.

    Beats, releases, temporary files and what others put there are passed over. `location` is that
    of the records, named in the error.
    """
    numbers = (int(name) for name in names if len(name) == _DIGITS and _is_digits(name))
    newest = max(numbers, default=0)
    if newest >= EPOCH_MAX:
        raise MalformedError(
            f"epoch {newest} is beyond any that Holdfast writes",
            subject=f"{location}/{epoch_name(newest)}",
            next_action="find out who put this file there, and remove it",
        )
    return newest


def write_holder(holder: Holder) -> bytes:
    """The file of an epoch."""
    return json.dumps({"format": _FORMAT, **asdict(holder)}, indent=1).encode() + b"\n"


def read_holder(data: bytes, origin: str) -> Holder:
    """Read the file of an epoch; `origin` is its location, named in the error."""
    try:
        return _parse_holder(data)
    except NewerVersionError as error:
        action = "use the release of Holdfast that wrote it, or a later one"
        raise NewerVersionError(error.message, subject=origin, next_action=action) from error
    except CheckpointError as error:
        raise MalformedError(
            f"the lease file is damaged, so its holder is not known: {error.message}",
            subject=origin,
            next_action="make sure that no run writes to this checkpoint, "
            "then `holdfast run --take-over`",
        ) from error


def write_beat(counter: int) -> bytes:
    """The file of the beats."""
    return b'{"beats": %d}\n' % counter


def read_beat(data: bytes | None) -> int | None:
    """How often the holder has renewed; None where no whole beat is there.

    A damaged beat is no error: a living holder replaces it within one interval.
    """
    if data is None:
        return None
    try:
        return integer(decode_object(data.decode(), "the beat"), "beats", "the beat")
    except (CheckpointError, UnicodeDecodeError):
        return None


def described(number: int, holder: Holder) -> str:
    """Who holds an epoch: process, host and since when."""
    since = datetime.fromtimestamp(holder.started_ms // 1000, UTC)
    return (
        f"pid {holder.pid} on {holder.host} (user {holder.user}) "
        f"since {since:%Y-%m-%d %H:%M:%S} UTC, epoch {number}"
    )


def _parse_holder(data: bytes) -> Holder:
    try:
        values = decode_object(data.decode(), _WHAT)
    except UnicodeDecodeError as error:
        raise MalformedError(f"{_WHAT} is not UTF-8") from error
    version = integer(values, "format", _WHAT)
    if version > _FORMAT:
        raise NewerVersionError(f"{_WHAT} has format {version}, this release knows {_FORMAT}")
    started_ms = integer(values, "started_ms", _WHAT)
    if not 0 <= started_ms < _YEAR_10000_MS:
        raise MalformedError(f"{_WHAT}: 'started_ms' is no time")
    return Holder(
        host=text_field(values, "host", _WHAT),
        place=text_field(values, "place", _WHAT),
        pid=integer(values, "pid", _WHAT),
        pid_started=integer(values, "pid_started", _WHAT),
        user=text_field(values, "user", _WHAT),
        started_ms=started_ms,
        version=text_field(values, "version", _WHAT),
        run_id=text_field(values, "run_id", _WHAT),
        purpose=text_field(values, "purpose", _WHAT) if "purpose" in values else "",
    )


def _is_digits(name: str) -> bool:
    return name.isascii() and name.isdigit()
