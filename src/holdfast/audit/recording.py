"""The recording run: uninterrupted, it lists every durable operation and gives the right answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from holdfast.adapters.clock import now_ms
from holdfast.audit.life import Life, live
from holdfast.audit.room import Room, Workload
from holdfast.core.crash.operation import Operation
from holdfast.core.crash.point import Key, Point, is_plan, moments, points_of
from holdfast.core.crash.real_time import name_real_time
from holdfast.core.crash.table import EMPTY, Table
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.core.running.failure import cause_line
from holdfast.core.secret_text import without_password
from holdfast.errors import UnreachableError, UsageError

BATCHES_MIN = 3
_FIRST_WITHIN_S = 600.0
_LOG_LINES_SHOWN = 3
_REASON = re.compile(r"Error\b|Exception\b|failed\b|\bHF\d{3}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What an uninterrupted run did."""

    room: Room
    points: tuple[Point, ...]
    after: tuple[Table, ...]
    """The output after each batch, the first one after batch 0."""
    answer: Table
    """The output at the end."""
    duration_ms: int
    batches_ms: Mapping[int, int]
    """How long each batch took, from its plan to its commit."""
    left_out: frozenset[str] = frozenset()
    """Columns that are not compared."""

    @property
    def batches(self) -> int:
        """How many batches it made."""
        return len(self.after)

    def without(self, columns: frozenset[str]) -> "Recording":
        """The same, with some columns left out of every output from now on."""
        if not columns:
            return self
        return replace(
            self,
            after=tuple(table.without(columns) for table in self.after),
            answer=self.answer.without(columns),
            left_out=self.left_out | columns,
        )

    def with_moments(self, count: int, seed: int) -> "Recording":
        """The same, with points at random moments of its batches."""
        more = moments(self.points, self.batches_ms, count=count, seed=seed)
        return replace(self, points=(*self.points, *more))

    def before(self, batch: int) -> Table:
        """The output as it is when a batch begins."""
        return EMPTY if batch <= 0 or not self.after else self.after[min(batch, self.batches) - 1]


def record(workload: Workload, folder: Path) -> Recording:
    """Run the job once, undisturbed; raises where it fails or makes too few batches."""
    folder.mkdir(parents=True)
    room = workload.furnish(folder)
    seen: list[tuple[Key, int]] = []
    after: dict[int, Table] = {}
    plans: dict[int, tuple[object, ...]] = {}

    planned_ms: dict[int, int] = {}
    batches_ms: dict[int, int] = {}

    def note(key: Key, batch: int, operation: Operation) -> None:
        if is_timed(key):
            return
        if is_plan(key, batch):
            planned_ms[batch] = now_ms()
        seen.append((key, batch))
        if _is_commit(key, operation, room):
            # Watermarks alone can make a batch: its plan is that of the one before.
            # The job waits while we look: the sink has returned, the commit is not there yet.
            batches_ms[batch] = now_ms() - planned_ms.get(batch, now_ms())
            after[batch] = room.output.read()
            plans[batch] = _plan(room, batch)

    with room:
        life = live(room, 1, within_s=_FIRST_WITHIN_S, seen=note)
    if not life.is_done:
        raise _failed(room, life)
    if len(after) < BATCHES_MIN:
        raise UsageError(
            f"the job made {len(after)} batches, and an audit needs at least {BATCHES_MIN}",
            subject=workload.title,
            next_action="give it more input, or smaller batches (maxFilesPerTrigger and the like)",
        )
    empty = frozenset(batch for batch in plans if plans[batch] == plans.get(batch - 1))
    return Recording(
        room=room,
        points=name_real_time(points_of(seen, empty=empty)),
        after=tuple(after[batch] for batch in sorted(after)),
        answer=room.output.read(),
        duration_ms=life.duration_ms,
        batches_ms=batches_ms,
    )


def is_timed(key: Key) -> bool:
    """Whether an operation comes by the clock and not by a batch: it is no point of its own."""
    return key.area == "records" and ".beat" in key.name


def last_words(room: Room, life: Life) -> str:
    """Why a life ended, out of all that it said; for people."""
    try:
        text = room.log(life.number, "log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    lines = [line for line in text.splitlines() if line.strip()]
    cause = cause_line("\n".join(line for line in lines if _REASON.search(line)))
    return "\n".join([*lines[-_LOG_LINES_SHOWN:], cause])


def _is_commit(key: Key, operation: Operation, room: Room) -> bool:
    if key.area != "checkpoint" or operation.call not in ("rename", "link"):
        return False
    folder, _, name = key.name.partition("/")
    return folder == "commits" and name.isdigit()


def _plan(room: Room, batch: int) -> tuple[object, ...]:
    """Where the sources end in a batch, as planned."""
    entry = parse_offset_entry((room.checkpoint / "offsets" / str(batch)).read_bytes())
    return tuple(entry.sources)


def _failed(room: Room, life: Life) -> UnreachableError:
    ended = "did not end" if life.end == "hung" else f"ended with code {life.exit_code}"
    return UnreachableError(
        f"the job {ended} in its first, undisturbed run:\n{last_words(room, life)}",
        subject=without_password(" ".join(room.arguments)),
        next_action=f"read {room.log(life.number, 'log')}",
    )
