"""A trial: a chain of faults in a room of its own, then the judgement of its output."""

from dataclasses import dataclass, replace
from pathlib import Path

from holdfast.adapters.gate.listener import Gate, Held
from holdfast.adapters.gate.watcher import Watcher
from holdfast.audit.judging import is_named, judge_output, what_is_left
from holdfast.audit.life import Life, live
from holdfast.audit.power_cut import VARIANTS, Unsynced
from holdfast.audit.recording import Recording, last_words
from holdfast.audit.room import Room, Workload
from holdfast.audit.sight import Sight, watching
from holdfast.core.crash.chain import Chain
from holdfast.core.crash.fault import Fault
from holdfast.core.crash.operation import Operation
from holdfast.core.crash.outcome import Outcome
from holdfast.core.crash.point import Key, Point

STARTS_MAX = 3
"""How often a job is started again before it counts as stuck: a cause that passes may pass."""
_SLOWER = 10.0
_AT_LEAST_S = 120.0
_WAKES_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What a chain came to."""

    outcomes: tuple[Outcome, ...]
    """One for each point that is decided."""
    undecided: tuple[Point, ...]
    """Points to be tried again, alone: one of them did harm, or was not reached."""
    kills: int
    starts: int


def attempt(
    workload: Workload, recording: Recording, chain: Chain, fault: Fault, folder: Path
) -> Tried:
    """Strike at each point of the chain, let the job end, and judge what it wrote."""
    folder.mkdir(parents=True)
    with workload.furnish(folder) as room:
        trial = _Trial(workload, recording, room, fault)
        for point in chain:
            if not trial.strike(point):
                break
        found = trial.finish()
    return _decide(chain, trial.struck, found, trial.starts, str(folder))


class _Trial:
    def __init__(self, workload: Workload, recording: Recording, room: Room, fault: Fault) -> None:
        self._workload = workload
        self._recording = recording
        self._room = room
        self._fault = fault
        self._within_s = max(_AT_LEAST_S, _SLOWER * recording.duration_ms / 1000)
        self._sight = Sight(room, recording) if workload.whole_batches else None
        self._last: Life | None = None
        self.struck: dict[Point, str] = {}
        """Points that were reached, and what was left then."""
        self.starts = 0

    def strike(self, point: Point) -> bool:
        """One life, to this point; whether it came to it and another may follow."""
        unsynced = Unsynced()
        watch = watching(self._sight)

        def seen(key: Key, batch: int, operation: Operation) -> None:
            watch(key, batch, operation)
            # The one that is aimed at never happens.
            if key != point.key:
                unsynced.note(operation)

        self.starts += 1
        number = self.starts
        life = live(
            self._room,
            number,
            aim=point.key,
            fault=self._fault,
            within_s=self._within_s,
            seen=seen,
            **({"held": self._take_over} if self._fault.name == "pause" else {}),
        )
        self._last = life if life.end == "ended" else None
        if not life.hit:
            return False
        torn = ""
        if self._fault.name == "power-cut":
            torn = unsynced.tear(VARIANTS[point.number % len(VARIANTS)])
        elif self._sight is not None:
            self._sight.look()
        left = what_is_left(self._room)
        self.struck[point] = f"{torn}; {left}" if torn else left
        return not life.is_done

    def _take_over(self, gate: Gate | Watcher, held: Held) -> None:
        """While it sleeps another starts, takes over, and does all the work; then it wakes."""
        gate.group.pause()
        self.starts += 1
        arguments = (*self._room.arguments, *self._room.take_over)
        successor = replace(self._room, arguments=arguments)
        live(successor, self.starts, within_s=self._within_s)
        gate.group.go_on()
        gate.release(held)
        gate.watch(lambda operation: 0, within_s=_WAKES_WITHIN_S)

    def finish(self) -> Outcome:
        """Start it again until it is done, and judge."""
        tries = 0
        while (self._last is None or not self._last.is_done) and tries < STARTS_MAX:
            tries += 1
            self.starts += 1
            self._last = live(
                self._room, self.starts, within_s=self._within_s, seen=watching(self._sight)
            )
        assert self._last is not None
        if not self._last.is_done:
            stuck = Outcome(point=self._recording.points[0], kind="stuck")
            named = self._fault.name == "power-cut" and is_named(self._room)
            detail = last_words(self._room, self._last)
            return replace(stuck, kind="detected" if named else "stuck", detail=detail)
        found = judge_output(self._workload, self._room, self._recording)
        if found.kind == "exact" and self._sight is not None and self._sight.torn:
            return replace(found, kind="torn", detail=self._sight.torn)
        return found


def _decide(
    chain: Chain, struck: dict[Point, str], found: Outcome, starts: int, folder: str
) -> Tried:
    """Whose doing it was: all did well, or the only one did; where several might, nobody knows."""
    missed = [point for point in chain if point not in struck]
    outcomes: list[Outcome] = []
    undecided: list[Point] = []
    for point, left in struck.items():
        if found.kind == "exact" or len(struck) == 1:
            place = folder if found.is_bad else ""
            outcomes.append(replace(found, point=point, left=left, folder=place))
        else:
            undecided.append(point)
    if len(chain) == 1:
        outcomes += [Outcome(point=point, kind="missed", detail=found.detail) for point in missed]
    else:
        undecided += missed
    return Tried(
        outcomes=tuple(outcomes), undecided=tuple(undecided), kills=len(struck), starts=starts
    )
