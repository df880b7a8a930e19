"""audit: record a job, kill it at every point, and say what that proves."""

import shutil
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdfast.adapters.clock import now_ms
from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.audit.answer import Difference, hold_against, read_answer
from holdfast.audit.recording import Recording, record
from holdfast.audit.room import Workload
from holdfast.audit.steadiness import Steadiness, second_run
from holdfast.audit.trial import Tried, attempt
from holdfast.core.crash.chain import Chain, alone, chains_of
from holdfast.core.crash.choosing import choose
from holdfast.core.crash.event import (
    Decided,
    Recorded,
    RecordingBegun,
    TellAudit,
    Undecided,
    tell_nobody,
)
from holdfast.core.crash.fault import FAULTS, Fault, FaultName, fits
from holdfast.core.crash.outcome import Outcome, Verdict, judge_outcomes
from holdfast.core.crash.pace import Pace
from holdfast.core.crash.point import Point
from holdfast.core.crash.scope import Scope
from holdfast.errors import UsageError

_TRIES_MAX = 2
"""How often a point that was not reached is tried, alone."""
CHAINED: frozenset[FaultName] = frozenset({"kill"})
"""Faults of which several go into one trial: after others a job may be left in any place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a person asked of an audit."""

    points: tuple[str, ...] = ()
    """Points to kill, by number or stage; all where none is named."""
    moments: int = 0
    """More points, at random moments of the batches."""
    runs: int | None = None
    """At most so many of them."""
    quick: bool = False
    faults: tuple[FaultName, ...] = ("kill",)
    seed: int = 0
    chained: bool = True
    parallel: int = 2
    """Trials at a time."""
    run_twice: bool = True
    """Run the job a second time undisturbed, before anything is killed."""
    watch: bool = False
    """Watch folders, as where no gate can be had."""
    keep: bool = False
    """Keep the folder of every trial, not only of those that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What an audit found."""

    title: str
    folder: str
    points: tuple[Point, ...]
    chosen: int
    batches: int
    rows: int
    outcomes: tuple[Outcome, ...]
    kills: int
    starts: int
    seed: int
    duration_ms: int
    watched: str | None
    """Why the job was watched and not held at its operations; None where it was held."""
    left_out: tuple[str, ...]
    """Columns that hold the time of their batch, and were not compared."""
    verdict: Verdict
    undisturbed: Difference | None = None
    """How the undisturbed run differs from the answer that was named; nothing is killed then."""
    again: str = "holdfast audit …"
    """The command line that asked for it, without its choice of points, faults and seed; secrets
    are hidden."""
    scope: Scope = field(default_factory=Scope)

    @property
    def coverage(self) -> float:
        """Points killed against points recorded, from 0 to 1."""
        return self.killed / len(self.points) if self.points else 0.0

    def replay(self, outcome: Outcome) -> str:
        """The command line that does the same at this point again."""
        fault = "" if outcome.fault == "kill" else f" --faults {outcome.fault}"
        return f"{self.again} --points {outcome.point.name}{fault} --seed {self.seed}"

    @property
    def messages(self) -> int:
        """Points that are messages between the job and a server."""
        return sum(point.key.area == "server" for point in self.points)

    @property
    def killed(self) -> int:
        """Points that were really killed at."""
        return len({each.point for each in self.outcomes if each.kind != "missed"})


def audit(
    workload: Workload, folder: Path, wishes: Wishes, tell: TellAudit = tell_nobody
) -> Audited:
    """Audit a workload; the folder must be empty and keeps what failed."""
    started_ms = now_ms()
    obstacle = "--watch asked for it" if wishes.watch else gate_obstacle()
    if obstacle is not None:
        workload = _watched(workload, wishes)
    tell(RecordingBegun(title=workload.title, folder=str(folder)))
    recording = record(workload, folder / "recording").without(workload.ignore)
    recording, already = _answered(workload, recording)
    recording = recording.with_moments(wishes.moments, wishes.seed)
    # A job that is wrong without a kill proves nothing by any.
    chosen = _chosen(recording, wishes) if already is None else ()
    planned = _planned(chosen, wishes)
    workers = wishes.parallel if workload.parallel else 1
    every = [chain for chains in planned.values() for chain in chains]
    total = sum(len(chain) for chain in every)
    pace = Pace(every, start_ms=recording.duration_ms, workers=workers)
    first_ms = recording.duration_ms if wishes.run_twice else 0
    tell(
        Recorded(
            points=recording.points,
            batches=recording.batches,
            rows=len(recording.answer.rows),
            duration_ms=recording.duration_ms,
            chosen=total,
            left_ms=first_ms + pace.left_ms(now_ms()),
        )
    )
    twice = wishes.run_twice and already is None
    steady = _steadiness(workload, recording, folder) if twice else Steadiness()
    recording = recording.without(workload.ignore | steady.varying)
    sweep = _Sweep(workload, recording, folder, wishes, total, pace, tell)
    for name, chains in planned.items():
        sweep.run(chains, FAULTS[name], workers)
    _clear(workload, folder, wishes)
    outcomes = tuple(sorted(sweep.outcomes.values(), key=lambda outcome: outcome.point.number))
    return Audited(
        title=workload.title,
        folder=str(folder),
        points=recording.points,
        chosen=len(chosen),
        batches=recording.batches,
        rows=len(recording.answer.rows),
        outcomes=outcomes,
        kills=sweep.kills,
        starts=sweep.starts + 1,
        seed=wishes.seed,
        duration_ms=now_ms() - started_ms,
        watched=obstacle,
        left_out=tuple(sorted(steady.varying)),
        verdict=judge_outcomes(
            outcomes,
            recorded=len(recording.points),
            unrepeatable=tuple(sorted(steady.unrepeatable)),
            undisturbed=None if already is None else already.comparison,
        ),
        undisturbed=already,
    )


def _clear(workload: Workload, folder: Path, wishes: Wishes) -> None:
    """Their folders stay, for people to look at; what they have on a server does not."""
    for place in (folder / "recording", folder / "second-run"):
        if place.exists() and not wishes.keep:
            workload.clear(place)


def _chosen(recording: Recording, wishes: Wishes) -> tuple[Point, ...]:
    return choose(
        recording.points,
        names=wishes.points,
        quick=wishes.quick,
        runs=wishes.runs,
        seed=wishes.seed,
    )


def _planned(chosen: tuple[Point, ...], wishes: Wishes) -> dict[FaultName, tuple[Chain, ...]]:
    """What each fault can strike at, in chains where several may share a trial."""
    planned: dict[FaultName, tuple[Chain, ...]] = {}
    for name in wishes.faults:
        fitting = [
            point for point in chosen if fits(FAULTS[name], message=point.key.area == "server")
        ]
        chained = wishes.chained and name in CHAINED
        planned[name] = chains_of(fitting) if chained else alone(fitting)
    if chosen and not any(planned.values()):
        raise UsageError(
            f"nothing was recorded at which {', '.join(wishes.faults)} can happen",
            next_action="faults of a connection need --through and messages among the points",
        )
    return planned


def _watched(workload: Workload, wishes: Wishes) -> Workload:
    """The same, for machines without a gate: seen points only, and no faults but kills."""
    cannot = [name for name in wishes.faults if FAULTS[name].error is not None]
    if cannot:
        raise UsageError(
            f"without the gate an operation cannot be made to fail ({cannot[0]})",
            next_action="leave out --faults, or run on Linux 5.5 or newer outside a sandbox",
        )
    # What is seen has happened: the output may be a step ahead of it, so it is judged at the end.
    return replace(
        workload,
        furnish=lambda place: replace(workload.furnish(place), exact=False),
        whole_batches=False,
    )


def _steadiness(workload: Workload, recording: Recording, folder: Path) -> Steadiness:
    """Look twice before anything is killed: rows that differ by themselves prove nothing."""
    varying = second_run(workload, recording, folder / "second-run")
    if not varying:
        return Steadiness()
    told = ", ".join(sorted(varying))
    if workload.twice is None or "*" in varying:
        raise UsageError(
            f"two undisturbed runs of the job do not write the same rows; they differ in: {told}",
            subject=workload.title,
            next_action="leave columns out with --ignore, or make the job repeatable",
        )
    place = folder / "one-batch-twice"
    place.mkdir()
    unrepeatable = workload.twice(recording.room, place)
    return Steadiness(varying=varying, unrepeatable=unrepeatable)


def _answered(workload: Workload, recording: Recording) -> tuple[Recording, Difference | None]:
    """Hold the recording against the answer that was named, or against nothing at all."""
    if workload.answer is not None:
        return hold_against(recording, read_answer(workload.answer, recording), workload.key)
    if not recording.answer.rows:
        raise UsageError(
            "the output has no rows after the undisturbed run, so nothing can be compared",
            subject=workload.title,
            next_action="see that --read names what the job writes, and that it has input",
        )
    return recording, None


class _Sweep:
    """Works through chains; what they leave undecided is tried again, point by point."""

    def __init__(
        self,
        workload: Workload,
        recording: Recording,
        folder: Path,
        wishes: Wishes,
        chosen: int,
        pace: Pace,
        tell: TellAudit,
    ) -> None:
        self._workload = workload
        self._recording = recording
        self._folder = folder
        self._wishes = wishes
        self._chosen = chosen
        self._pace = pace
        self._tell = tell
        self._lock = threading.Lock()
        self._tries: Counter[tuple[Point, FaultName]] = Counter()
        self._rooms = 0
        self.outcomes: dict[tuple[Point, FaultName], Outcome] = {}
        self.kills = 0
        self.starts = 0

    def run(self, chains: tuple[Chain, ...], fault: Fault, workers: int) -> None:
        waiting = chains
        with ThreadPoolExecutor(max_workers=workers) as pool:
            while waiting:
                # Round by round: what one leaves undecided comes in the next.
                tried = list(pool.map(lambda chain: self._attempt(chain, fault), waiting))
                waiting = alone([point for points in tried for point in points])

    def _attempt(self, chain: Chain, fault: Fault) -> tuple[Point, ...]:
        with self._lock:
            self._rooms += 1
            place = self._folder / f"trial-{self._rooms}"
            self._pace.begin(chain, now_ms())
        tried = attempt(self._workload, self._recording, chain, fault, place)
        again = self._take(chain, tried, fault)
        bad = any(outcome.is_bad for outcome in tried.outcomes)
        if not (bad or self._wishes.keep):
            self._workload.clear(place)
            shutil.rmtree(place, ignore_errors=True)
        return again

    def _take(self, chain: Chain, tried: Tried, fault: Fault) -> tuple[Point, ...]:
        again = list(tried.undecided)
        decided = []
        with self._lock:
            self.kills += tried.kills
            self.starts += tried.starts
            for outcome in tried.outcomes:
                name = (outcome.point, fault.name)
                self._tries[name] += 1
                if outcome.kind == "missed" and self._tries[name] < _TRIES_MAX:
                    again.append(outcome.point)
                else:
                    decided.append(replace(outcome, fault=fault.name))
            self._pace.end(chain, starts=tried.starts, now_ms=now_ms())
            self._pace.expect(alone(again))
            left_ms = self._pace.left_ms(now_ms())
            for outcome in decided:
                self.outcomes[outcome.point, fault.name] = outcome
                self._tell(
                    Decided(
                        outcome=outcome,
                        done=len(self.outcomes),
                        chosen=self._chosen,
                        kills=self.kills,
                        left_ms=left_ms,
                    )
                )
            if again:
                self._tell(Undecided(points=tuple(again), kills=self.kills, left_ms=left_ms))
        return tuple(again)
