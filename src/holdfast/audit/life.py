"""A life: the job from a start to its end, or to the operation or message before its kill."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from holdfast.adapters.clock import now_ms
from holdfast.adapters.gate.listener import Decide, Ended, Gate, Held
from holdfast.adapters.gate.watcher import Watcher
from holdfast.adapters.proxy.connection import Action
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.audit.room import Room
from holdfast.core.crash.fault import FAULTS, Fault
from holdfast.core.crash.operation import Operation
from holdfast.core.crash.point import Key, Tracker, is_plan
from holdfast.core.crash.wire.message import Message
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.errors import CheckpointError

Seen = Callable[[Key, int, Operation], None]
"""Told of each durable operation and message of the job, before it has its effect."""

_LOOK_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """How it ended."""

    end: Literal["killed", "ended", "hung"]
    hit: bool
    """The aim was reached."""
    exit_code: int | None
    number: int
    duration_ms: int

    @property
    def is_done(self) -> bool:
        """Whether the job came to its own good end."""
        return self.end == "ended" and self.exit_code == 0


KILL = FAULTS["kill"]


def kill_whole(gate: Gate | Watcher, _held: Held) -> None:
    """SIGKILL to every process, while the operation still waits."""
    gate.group.kill()


def nobody(_key: Key, _batch: int, _operation: Operation) -> None:
    """The ordinary Seen."""


def live(
    room: Room,
    number: int,
    *,
    aim: Key | None = None,
    fault: Fault = KILL,
    within_s: float,
    seen: Seen = nobody,
    held: Callable[[Gate | Watcher, Held], None] = kill_whole,
) -> Life:
    """Lead one life. At the aim it is held, and killed unless told otherwise, or it fails there."""
    moment = _Moment()
    ear = _Ear(room, aim, fault, seen, moment)
    started_ms = now_ms()
    with ExitStack() as block:
        # The last in is the first out: the job ends, then what it said and nobody has heard yet.
        for proxy in room.proxies:
            block.enter_context(proxy.attended(ear.hear))
        gate = _start(room, number)
        block.enter_context(gate)
        ear.listens_for(gate)
        block.enter_context(moment.of(gate.group))
        end = _watch(gate, room, ear.decide, within_s)
        if isinstance(end, Held):
            held(gate, end)
    hit = ear.hit or moment.struck
    if not room.exact and isinstance(end, Held):
        # It was stopped some time after it was seen: did it get further meanwhile?
        hit = newest_batches(room) == ear.logs
    return Life(
        end=_how(end, moment),
        hit=hit,
        exit_code=end.exit_code if isinstance(end, Ended) else None,
        number=number,
        duration_ms=now_ms() - started_ms,
    )


class _Ear:
    """Hears of every operation and message of one life, one at a time, and says what to do."""

    def __init__(
        self, room: Room, aim: Key | None, fault: Fault, seen: Seen, moment: "_Moment"
    ) -> None:
        planned, committed = newest_batches(room)
        self._tracker = Tracker(room.layout, planned=planned, committed=committed)
        self._aim = aim
        self._fault = fault
        self._seen = seen
        self._moment = moment
        self._lock = threading.Lock()
        self._started = threading.Event()
        self._gate: Gate | Watcher | None = None
        self.hit = False

    def listens_for(self, gate: Gate | Watcher) -> None:
        """Say who is to be told that a message is held."""
        self._gate = gate
        self._started.set()

    @property
    def logs(self) -> tuple[int | None, int | None]:
        return self._tracker.logs

    def decide(self, operation: Operation) -> int | Literal["hold"]:
        """What to do with an operation on a file."""
        with self._lock:
            known = self._tracker.see(operation)
            if known is None:
                return 0
            self._seen(*known, operation)
            aim, fault = self._aim, self._fault
            if known[0] == aim:
                self.hit = True
                return "hold" if fault.error is None else fault.error
            if aim is not None and aim.area == "time" and is_plan(known[0], aim.batch):
                self._moment.start(int(aim.name) / 1000)
            return fault.error or 0 if self.hit and operation.call in fault.then else 0

    def hear(self, message: Message, go_on: threading.Event) -> Action:
        """What to do with a message; called from the threads of the proxies."""
        self._started.wait()
        with self._lock:
            known = self._tracker.hear(message)
            if known is None:
                return "pass"
            operation = Operation(call=message.call, path=known[0].name)
            self._seen(*known, operation)
            if known[0] != self._aim or self.hit:
                return "pass"
            self.hit = True
            if self._fault.name in ("cut", "hang"):
                return "cut" if self._fault.name == "cut" else "hang"
            assert self._gate is not None
            self._gate.interrupt(Held(operation=operation, cookie=0, message=go_on))
            return "hold"


class _Moment:
    """A kill some time after it was started, whatever the job does then."""

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None
        self._group: ProcessGroup | None = None
        self.struck = False

    @contextmanager
    def of(self, group: ProcessGroup) -> Iterator[None]:
        self._group = group
        yield
        if self._timer is not None:
            self._timer.cancel()

    def start(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._strike)
        self._timer.daemon = True
        self._timer.start()

    def _strike(self) -> None:
        if self._group is not None and self._group.ended() is None:
            self.struck = True
            self._group.kill()


def _how(end: Held | Ended | None, moment: _Moment) -> Literal["killed", "ended", "hung"]:
    if isinstance(end, Held) or moment.struck:
        return "killed"
    return "ended" if isinstance(end, Ended) else "hung"


def _start(room: Room, number: int) -> Gate | Watcher:
    output, talk = room.log(number, "out"), room.log(number, "log")
    if room.exact:
        return Gate(
            room.arguments,
            folder=room.working_folder,
            environ=room.environ,
            output=output,
            talk=talk,
        )
    roots = room.layout.roots
    return Watcher(
        room.arguments,
        roots=[root for area, root in roots.items() if area in ("checkpoint", "output")],
        steps=roots.get("steps"),
        folder=room.working_folder,
        environ=room.environ,
        output=output,
        talk=talk,
    )


def _watch(
    gate: Gate | Watcher, room: Room, decide: Decide, within_s: float
) -> Held | Ended | None:
    """Until the end, or until a job that never ends has been idle for long enough.

    Batches that read nothing are idle, too: in real-time mode they go on for ever.
    """
    if room.settle_s is None:
        return gate.watch(decide, within_s=within_s)
    deadline = time.monotonic() + within_s
    idle_since, before = time.monotonic(), _reached(room)
    while time.monotonic() < deadline:
        end = gate.watch(decide, within_s=_LOOK_S)
        if end is not None:
            return end
        now = _reached(room)
        if now is None or now != before:
            idle_since, before = time.monotonic(), now
        elif time.monotonic() - idle_since >= room.settle_s:
            return Ended(exit_code=0)
    return None


def _reached(room: Room) -> tuple[str | None, ...] | None:
    """Where the sources end in the newest batch; None while it has no commit."""
    planned, committed = newest_batches(room)
    if planned is None or planned != committed:
        return None
    try:
        entry = parse_offset_entry((room.checkpoint / "offsets" / str(planned)).read_bytes())
    except (OSError, CheckpointError):
        return None
    return tuple(line.text for line in entry.sources)


def newest_batches(room: Room) -> tuple[int | None, int | None]:
    """The newest batch in offsets/ and in commits/, None where there is none."""
    return _newest(room, "offsets"), _newest(room, "commits")


def _newest(room: Room, log: str) -> int | None:
    folder = room.checkpoint / log
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return max((int(name) for name in names if name.isdigit()), default=None)
