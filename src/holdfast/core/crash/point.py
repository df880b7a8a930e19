"""Crash points: each operation and message of a recorded run, by the step it falls in."""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from holdfast.core.crash.operation import CallName, Operation, name_of
from holdfast.core.crash.place import Area, Layout, Place
from holdfast.core.crash.wire.message import Message
from holdfast.core.microbatch import CrashPoint

_LOG = re.compile(r"^(offsets|commits)/(\d+)$")
_OWN_NUMBER = re.compile(r"^(offsets|commits|sources|state)/")
"""Paths that carry a batch in their name: known again whenever they come."""
_NUMBER = re.compile(r"\b\d+\b")
_SNAPSHOT = re.compile(r"^state/\d+/\d+/.*\.(snapshot|zip)(\.|$)")
_SCHEMA = re.compile(r"^state/\d+/(_metadata|_stateSchema)")
STARTING = -1
"""The batch of a point that comes before the query has touched its checkpoint."""
MORE = ", some through"
"""Behind the name of the second message of a row."""
_SINK_LOG = re.compile(r"(^|/)(_spark_metadata|_delta_log|_commits)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What tells an operation in every run of the same job."""

    area: Area
    call: CallName
    name: str
    batch: int | None
    """The batch in whose time it comes; None where the name says it already."""
    nth: int
    """Counted from 1 among those that are otherwise alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A moment to kill at: just before this operation, which is just after the one before it."""

    number: int
    stage: CrashPoint
    batch: int
    key: Key

    @property
    def name(self) -> str:
        """Six letters that are the same in every recording; numbers may differ by a few."""
        return blake2b(repr(self.key).encode(), digest_size=3).hexdigest()

    @property
    def text(self) -> str:
        """The operation that does not come to be."""
        if self.key.area == "time":
            return f"nothing in particular, {self.key.name} ms after the plan"
        name = self.key.name or "."
        if self.key.area == "server":
            noun = "message" if self.key.call in ("send", "commit") else "answer"
            return f"{noun} {name}" + (f" ({self.key.nth})" if self.key.nth > 1 else "")
        again = f" ({self.key.nth})" if self.key.nth > 1 else ""
        return f"{self.key.call} {self.key.area}:{name}{again}"


class Tracker:
    """Follows one run of a job, from whatever its checkpoint held when it began."""

    def __init__(self, layout: Layout, *, planned: int | None, committed: int | None) -> None:
        """Take the newest batch of either log at the start of the run."""
        self._layout = layout
        self._planned = -1 if planned is None else planned
        self._committed = -1 if committed is None else committed
        self._seen: Counter[Key] = Counter()
        self._rows: dict[tuple[int, bool], tuple[str, int, int]] = {}
        """What came last through each connection, either way: what, in which batch, how often."""

    @property
    def batch(self) -> int:
        """The batch that is in the making: in flight, or the one that comes next."""
        return max(self._planned, self._committed + 1)

    @property
    def committed(self) -> int:
        """The newest batch with a commit, -1 before any."""
        return self._committed

    @property
    def logs(self) -> tuple[int | None, int | None]:
        """The newest batch of offsets/ and of commits/, None where there is none."""
        return (
            None if self._planned < 0 else self._planned,
            None if self._committed < 0 else self._committed,
        )

    def see(self, operation: Operation) -> tuple[Key, int] | None:
        """The key of an operation and its batch, None where it belongs to no area.

        What follows in this run is told as if the operation had its effect.
        """
        place = self._layout.place(operation.path)
        if place is None:
            return None
        batch = self.batch
        name = _known_again(place)
        own = place.area == "records" or (
            place.area == "checkpoint" and _OWN_NUMBER.match(name) is not None
        )
        alike = Key(
            area=place.area,
            call=operation.call,
            name=name,
            batch=None if own else batch,
            nth=0,
        )
        self._seen[alike] += 1
        self._move_on(operation, place)
        return replace(alike, nth=self._seen[alike]), batch

    def hear(self, message: Message) -> tuple[Key, int] | None:
        """The key of a message and its batch, None where it is no point.

        Of a row of equal messages through one connection the first two are: before the first
        nothing of the row has come through, before the second some of it; before what follows the
        row, all of it. Of messages that are not steady only the first of a batch is one.
        """
        batch = self.batch
        line = (message.connection, message.call in ("send", "commit"))
        name, in_batch, count = self._rows.get(line, ("", batch, 0))
        count = count + 1 if (name, in_batch) == (message.name, batch) else 1
        self._rows[line] = (message.name, batch, count)
        name = message.name if count == 1 else f"{message.name}{MORE}"
        alike = Key(area="server", call=message.call, name=name, batch=batch, nth=0)
        self._seen[alike] += 1
        if count > 2 or (not message.steady and (count > 1 or self._seen[alike] > 1)):
            return None
        return replace(alike, nth=self._seen[alike]), batch

    def _move_on(self, operation: Operation, place: Place) -> None:
        log = _LOG.match(place.name)
        if place.area != "checkpoint" or log is None or operation.call not in ("rename", "link"):
            return
        if log[1] == "offsets":
            self._planned = max(self._planned, int(log[2]))
        else:
            self._committed = max(self._committed, int(log[2]))


def points_of(
    recorded: list[tuple[Key, int]], *, empty: frozenset[int] = frozenset()
) -> tuple[Point, ...]:
    """The crash points of a recorded run, numbered from 1 in the order in which they came.

    What a kill cannot tell apart is one point: a process that dies leaves its writes in the kernel,
    so a file is the same before and after it is synced. Databases write between two syncs, so
    those of an output count. Records that are written again by the clock count once.
    """
    last = max((batch for key, batch in recorded if _is_log(key, "commits")), default=-1)
    points: list[Point] = []
    phase = STARTING
    for key, batch in recorded:
        if key.area == "checkpoint":
            phase = batch
        if key.call == "fsync" and key.area != "output":
            continue
        if key.area == "records" and key.nth > 1:
            continue
        stage = _stage(key, starting=phase == STARTING, stopping=batch > last)
        if batch in empty and stage not in ("K12", "K13", "K14"):
            stage = "K15"
        when = STARTING if phase == STARTING else batch
        points.append(Point(number=len(points) + 1, stage=stage, batch=when, key=key))
    return tuple(points)


def moments(
    points: Sequence[Point], durations_ms: Mapping[int, int], *, count: int, seed: int
) -> tuple[Point, ...]:
    """Points at random moments between the plan of a batch and its commit, numbered on.

    For sinks on a server, whose writes are no operations on a file here.
    """
    pick = random.Random(seed)
    found = []
    for number in range(count):
        batch = pick.choice(sorted(durations_ms))
        at_ms = pick.randrange(max(1, durations_ms[batch]))
        key = Key(area="time", call="moment", name=str(at_ms), batch=batch, nth=number + 1)
        found.append(Point(number=len(points) + number + 1, stage="K6", batch=batch, key=key))
    return tuple(found)


def is_plan(key: Key, batch: int | None) -> bool:
    """Whether an operation makes the plan of a batch visible."""
    match = _LOG.match(key.name)
    appears = key.area == "checkpoint" and key.call in ("rename", "link")
    return appears and match is not None and match[1] == "offsets" and int(match[2]) == batch


def _is_log(key: Key, log: str) -> bool:
    match = _LOG.match(key.name)
    return key.area == "checkpoint" and match is not None and match[1] == log


def _known_again(place: Place) -> str:
    name = name_of(place.name)
    # Names of our records count epochs, those of steps processes: every start has others.
    return _NUMBER.sub("*", name) if place.area in ("records", "steps") else name


def _stage(key: Key, *, starting: bool, stopping: bool) -> CrashPoint:
    """What is done, and not more, when the process dies just before the operation."""
    match key.area:
        case "checkpoint":
            return _checkpoint_stage(key)
        case "output":
            ends = key.call == "unlink" or _SINK_LOG.search(key.name)
            return "K7" if ends else "K6"
        case "steps":
            return _STEPS.get(key.name.rpartition("-")[2], "K6")
        case "server":
            return "K0" if starting else "K14" if stopping else _MESSAGES.get(key.call, "K6")
        case "time":
            return "K6"
        case "records":
            return "K0" if starting else "K14" if stopping else "K11"


_MESSAGES: dict[str, CrashPoint] = {"commit": "K7", "acknowledge": "K8"}
_STEPS: dict[str, CrashPoint] = {
    "called": "K3",
    "commit": "K7",
    "marked": "K9",
    "committed": "K9",
    "compact": "K9",
    "compacted": "K9",
    "returned": "K9",
}


def _checkpoint_stage(key: Key) -> CrashPoint:
    folder = key.name.partition("/")[0]
    if key.call == "mkdir":
        return "K5" if folder == "state" else "K0"
    if key.call == "unlink":
        return "K12"
    appears = key.call in ("rename", "link")
    checksum = key.name.endswith(".crc")
    match folder:
        case "offsets":
            return "K1" if not appears else "K3" if checksum else "K2"
        case "commits":
            return "K9" if not appears else "K11" if checksum else "K10"
        case "state" if _SCHEMA.match(key.name):
            return "K4"
        case "state" if _SNAPSHOT.match(key.name):
            return "K13"
        case "state":
            return "K5"
    return "K0"
