"""An audit while it works: lines where nobody watches, one live line on a terminal."""

import io
import itertools
from pathlib import Path

import pytest
from rich.console import Console

from holdfast.adapters.outputs.sqlite import SqliteOutput
from holdfast.audit import audit as auditing
from holdfast.audit.recording import Recording
from holdfast.audit.room import Room, Workload
from holdfast.audit.trial import Tried
from holdfast.core.crash.chain import Chain, alone, chains_of
from holdfast.core.crash.event import AuditEvent, Decided, Recorded, RecordingBegun, Undecided
from holdfast.core.crash.fault import Fault
from holdfast.core.crash.outcome import Outcome
from holdfast.core.crash.pace import Pace
from holdfast.core.crash.place import Layout
from holdfast.core.crash.table import EMPTY, table_of
from holdfast.surfaces.render.audit import bar, lines
from tests.audit.made_up import outcome, points, rows

EVERY = points()
BAD = outcome(EVERY[9], "wrong", comparison=rows(duplicated=10))


class Clock:
    """Stands where it is put."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(lines, "now_ms", made)
    monkeypatch.setattr(bar, "now_ms", made)
    return made


def decided(of: Outcome, done: int = 1) -> Decided:
    return Decided(outcome=of, done=done, chosen=32, kills=2 * done, left_ms=185_000)


BEGUN = RecordingBegun(title="gold\x1b[2J", folder="/data/audit/1")
RECORDED = Recorded(
    points=EVERY, batches=3, rows=100, duration_ms=9_000, chosen=32, left_ms=600_000
)
UNDECIDED = Undecided(points=EVERY[:3], kills=5, left_ms=61_000)


def test_lines_come_now_and_then_and_what_is_bad_at_once(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with lines.AuditLines() as tell:
        tell(BEGUN)
        tell(RECORDED)
        for number in range(1, 12):  # one a second
            clock.ms += 1_000
            tell(decided(outcome(EVERY[number]), number))
        tell(decided(BAD, 12))
        tell(decided(BAD, 13))
        tell(UNDECIDED)
        clock.ms += 10_000
        tell(UNDECIDED)
        clock.ms += 10_000
        tell(decided(outcome(EVERY[20]), 14))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        r"recording gold\x1b[2J: one undisturbed run (Spark starts, some seconds)",
        "recorded 32 crash points in 3 batches, 100 rows, in 9.0 s; about 10 min 0 s left",
        "  10 of 32 points, 20 kills, 0 bad, about 3 min 5 s left",
        "! point 10 (batch 0, sink: committed, batch not): wrong: 10 rows duplicated",
        "! point 10 (batch 0, sink: committed, batch not): wrong: 10 rows duplicated",
        "  3 points to be tried again, alone; about 1 min 1 s left",
        "  14 of 32 points, 28 kills, 2 bad, about 3 min 5 s left",
    ]


def test_a_listener_that_went_away_stops_nothing(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(lines.sys, "stderr", Broken())
    lines.AuditLines()(BEGUN)


def drawn(events: list[AuditEvent], clock: Clock, later_ms: int = 0) -> tuple[str, str]:
    """What the line shows after the events, and what was said above it."""
    out = io.StringIO()
    console = Console(file=out, width=120, highlight=False, markup=False)
    shown = bar.AuditBar(console)
    for event in events:
        shown(event)
    above = out.getvalue()
    clock.ms += later_ms
    console.print(shown._line())
    return out.getvalue()[len(above) :], above


def test_the_live_line_counts_points_kills_and_what_is_bad(clock: Clock) -> None:
    line, above = drawn([BEGUN, RECORDED, decided(BAD, 12), UNDECIDED], clock)
    assert "12 of 32 points" in line
    assert "about 1 min 1 s left" in line
    assert "5 kills" in line
    assert "1 bad" in line
    assert above.count("\n") == 3
    assert "! point 10" in above and "\x1b" not in above


def test_the_time_left_gets_shorter_between_two_events_and_never_negative(clock: Clock) -> None:
    assert "about 51.0 s left" in drawn([RECORDED, UNDECIDED], clock, later_ms=10_000)[0]
    assert "nearly done" in drawn([RECORDED, UNDECIDED], clock, later_ms=99_000)[0]


def test_before_anything_is_recorded_the_line_says_so(clock: Clock) -> None:
    assert drawn([BEGUN], clock, later_ms=12_000)[0].startswith("recording, 12.0 s so far")


def test_the_bar_starts_and_stops(clock: Clock) -> None:
    out = io.StringIO()
    with bar.AuditBar(Console(file=out, force_terminal=True, width=80)) as tell:
        tell(RECORDED)
        tell(decided(BAD, 12))
    assert "! point 10" in out.getvalue()


def pace(chains: tuple[Chain, ...], workers: int = 1) -> Pace:
    return Pace(chains, start_ms=1_000, workers=workers)


def swept(chains: tuple[Chain, ...], *, start_ms: int) -> list[int]:
    """What is said to be left after each trial, one after the other, each start taking so long."""
    told, now, made = [], 0, pace(chains)
    for chain in chains:
        made.begin(chain, now)
        now += start_ms * (len(chain) + 1)
        made.end(chain, starts=len(chain) + 1, now_ms=now)
        told.append(made.left_ms(now))
    return told


def test_at_first_a_start_is_thought_to_take_what_the_recording_took() -> None:
    chains = chains_of(EVERY)
    assert pace(chains).left_ms(0) == (len(EVERY) + len(chains)) * 1_000


def test_chains_of_any_length_are_foreseen_exactly_where_starts_are_alike() -> None:
    chains = (EVERY[:1], EVERY[1:5], EVERY[5:7], EVERY[7:8])
    ends = [2, 7, 10, 12]
    assert swept(chains, start_ms=4_000) == [(12 - end) * 4_000 for end in ends]


def test_what_is_to_be_tried_again_is_counted_as_soon_as_it_is_known() -> None:
    made = pace((EVERY[:3],))
    made.begin(EVERY[:3], 0)
    made.end(EVERY[:3], starts=4, now_ms=8_000)
    assert made.left_ms(8_000) == 0
    made.expect(alone(EVERY[:3]))
    assert made.left_ms(8_000) == 3 * 2 * 2_000


def test_workers_share_trials_but_not_one_trial() -> None:
    assert pace((EVERY[:3],) * 4, workers=2).left_ms(0) == 8_000
    assert pace((EVERY[:3],), workers=2).left_ms(0) == 4_000


def test_a_trial_that_runs_is_counted_down_and_not_below_nothing() -> None:
    made = pace((EVERY[:3], EVERY[3:5]))
    made.begin(EVERY[:3], 0)
    assert made.left_ms(1_000) == 3_000 + 3_000
    assert made.left_ms(60_000) == 3_000


def test_an_audit_tells_of_every_trial_also_of_those_that_decide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each chain of several one point is bad, so all of its points are tried again, alone."""

    def nowhere(_place: Path) -> Room:
        raise AssertionError("no job runs here")

    def attempt(
        _workload: Workload, _recording: Recording, chain: Chain, _fault: Fault, _place: Path
    ) -> Tried:
        several = len(chain) > 1
        return Tried(
            outcomes=() if several else (outcome(chain[0]),),
            undecided=chain if several else (),
            kills=len(chain),
            starts=len(chain) + 1,
        )

    room = Room(
        folder=tmp_path,
        arguments=(),
        working_folder=tmp_path,
        environ={},
        checkpoint=tmp_path,
        layout=Layout(roots={}),
        output=SqliteOutput(tmp_path / "nothing.db", "nothing"),
    )
    recording = Recording(
        room=room,
        points=EVERY,
        after=(EMPTY,) * 3,
        answer=table_of(["a"], [[1]]),
        duration_ms=1_000,
        batches_ms={},
    )
    monkeypatch.setattr(auditing, "record", lambda *_given: recording)
    monkeypatch.setattr(auditing, "attempt", attempt)
    monkeypatch.setattr(auditing, "now_ms", itertools.count(step=1_000).__next__)
    told: list[AuditEvent] = []
    workload = Workload(title="gold", furnish=nowhere, whole_batches=True)
    done = auditing.audit(workload, tmp_path, auditing.Wishes(run_twice=False), told.append)
    begun, recorded, *rest = told
    assert isinstance(begun, RecordingBegun)
    assert isinstance(recorded, Recorded)
    chains = [chain for chain in chains_of(EVERY) if len(chain) > 1]
    assert recorded.left_ms == (len(EVERY) + len(chains_of(EVERY))) * 1_000 // 2
    again = [event for event in rest if isinstance(event, Undecided)]
    assert sorted(len(event.points) for event in again) == sorted(map(len, chains))
    assert again[-1].left_ms > 0, "no chain waits or runs, but all of its points"
    decided_last = rest[-1]
    assert isinstance(decided_last, Decided)
    assert (decided_last.done, decided_last.kills, decided_last.left_ms) == (32, done.kills, 0)
    assert done.coverage == 1
    assert done.kills == len(EVERY) + sum(map(len, chains))
