"""Kill the embedded sensor pipeline at random moments, again and again, and count what it cost.

Every kill is SIGKILL to the whole process group of `holdfast run`, while all three jobs run. New
input comes before each. Now and then the pipeline is drained, and its three tables are compared
with the input as multisets. Everything is drawn from the seed and the number of the kill, so that
a campaign can go on where it was broken off.
"""

import json
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.running.killing import (
    JOBS,
    busy_project,
    differences,
    feed,
    lines_in,
    running,
)

from holdfast import show
from holdfast.core.checkpoint import Checkpoint

FILES_PER_KILL, LINES = 6, 50
STAGES = {
    "the start": (3, 5.0),
    "the first query": (5, 6.0),
    f"a commit of {JOBS[0]}": (6, 3.0),
    f"a commit of {JOBS[1]}": (5, 3.0),
    f"a commit of {JOBS[2]}": (6, 3.0),
}
"""After what to strike: how often, and at most how many seconds later. Seen, and not timed, so that
a slow machine is hit in the same places."""

Tell = Callable[[str], None]


@dataclass
class Tally:
    """What came of a campaign so far."""

    seed: int
    kills: int = 0
    starting: int = 0
    in_flight: dict[str, int] = field(default_factory=lambda: dict.fromkeys(JOBS, 0))
    hits: int = 0
    """Kills with a batch in flight in one job or more."""
    sink_ahead: int = 0
    """Kills after gold had taken a batch, and before the checkpoint knew."""
    restarts: int = 0
    checks: int = 0
    rows: int = 0
    lost: int = 0
    duplicated: int = 0
    seconds: float = 0.0
    sittings: int = 0
    """How often the campaign was begun; more than once where it was broken off."""


@dataclass(frozen=True)
class Moment:
    """When to kill: so long after something was seen."""

    after: str
    seconds: float


def moment(seed: int, number: int) -> Moment:
    """The moment of one kill, the same for the same seed and number."""
    chance = random.Random(f"{seed}/{number}")
    [after] = chance.choices(list(STAGES), [often for often, _ in STAGES.values()])
    return Moment(after, chance.uniform(0, STAGES[after][1]))


def campaign(folder: Path, kills: int, seed: int, check_every: int, tell: Tell) -> Tally:
    """Kill so often; begins anew, or goes on where a campaign in this folder was broken off."""
    project, kept = folder / "sensors", folder / "tally.json"
    if kept.exists():
        tally = Tally(**json.loads(kept.read_text()))
    else:
        tally = Tally(seed)
        busy_project(project)
    tally.sittings += 1
    keep(kept, tally)
    while tally.kills < kills:
        clock = time.monotonic()
        number = tally.kills + 1
        # Whoever goes on after a break has work too: what was fed before it may be done.
        feed(project, (number + tally.sittings - 1) * FILES_PER_KILL, LINES)
        when = moment(seed, number)
        began = kill(project, when)
        tally.kills, tally.restarts = number, tally.restarts + 1
        tally.starting += not began
        found = look(project, tally, began)
        if number % check_every == 0 or number == kills:
            drain(project, tally)
        tally.seconds += time.monotonic() - clock
        keep(kept, tally)
        tell(
            f"{number} of {kills}: killed {when.seconds:.1f} s after {when.after}; in flight: "
            f"{', '.join(found) or 'nothing'}; {tally.lost} lost, {tally.duplicated} duplicated"
        )
    return tally


def keep(path: Path, tally: Tally) -> None:
    """Write the tally so that it is whole whenever this ends."""
    waiting = path.with_suffix(".new")
    waiting.write_text(json.dumps(asdict(tally)))
    waiting.replace(path)


def kill(project: Path, when: Moment) -> list[str]:
    """Run it, and kill it at that moment; the jobs whose queries had started."""
    job = when.after.removeprefix("a commit of ")
    before = newest_commit(project, job)
    with running(project) as run:
        if when.after == "the first query":
            run.until_said(": started, query")
        elif job in JOBS:
            run.until(lambda: newest_commit(project, job) > before, when.after)
        limit = time.monotonic() + when.seconds
        run.until(lambda: time.monotonic() >= limit, "its moment")
        run.kill()
    return [job for job in JOBS if f"{job}: started, query" in run.talk]


def newest_commit(project: Path, job: str) -> int:
    """The number of the newest file in commits/, -1 where there is none."""
    folder = project / "checkpoints" / job / "commits"
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return max((int(name) for name in names if name.isdigit()), default=-1)


def look(project: Path, tally: Tally, began: list[str]) -> list[str]:
    """What the checkpoints say after a kill: which jobs had a batch in flight.

    A batch of a job that had not started again is left from a kill before, and counted there.
    """
    seen = {job: batch_in_flight(project / "checkpoints" / job) for job in JOBS}
    found = {job: batch for job, batch in seen.items() if job in began and batch is not None}
    for job in found:
        tally.in_flight[job] += 1
    tally.hits += bool(found)
    gold = found.get(JOBS[2])
    tally.sink_ahead += gold is not None and last_in_ledger(project) == gold
    return [f"{job} {batch}" for job, batch in found.items()]


def batch_in_flight(checkpoint: Path) -> int | None:
    """By Holdfast's own reader; before the first plan there is no checkpoint to read."""
    if not (checkpoint / "metadata").exists():
        return None
    seen = show(str(checkpoint)).checkpoint
    must_not_be_damaged(seen)
    return seen.in_flight


def must_not_be_damaged(seen: Checkpoint) -> None:
    """A kill leaves nothing that Spark would refuse, but a first plan that was cut off (HF132)."""
    if seen.restart.kind not in ("fresh", "next", "rerun") and seen.offsets.last is not None:
        raise AssertionError(f"{seen.location}: {seen.restart.text}")


def last_in_ledger(project: Path) -> int | None:
    """The newest batch that gold itself remembers."""
    path = project / "data" / "gold.db"
    if not path.exists():
        return None
    with closing(sqlite3.connect(path)) as connection:
        try:
            row = connection.execute("SELECT last_batch FROM holdfast_ledger").fetchone()
        except sqlite3.OperationalError:
            return None  # killed before the tables were made
    return None if row is None else row[0]


def drain(project: Path, tally: Tally) -> None:
    """Let it process what is there, and compare every table with the input."""
    with running(project, "--once") as run:
        code = run.end()
        answer: dict[str, Any] = json.loads(run.output)
    if code != 0:
        raise AssertionError(f"the pipeline did not drain: {answer}")
    tally.restarts += 1
    tally.checks += 1
    tally.rows = len(lines_in(project))
    for lost, duplicated in differences(project).values():
        tally.lost += lost
        tally.duplicated += duplicated
