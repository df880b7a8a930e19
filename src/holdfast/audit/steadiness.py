"""Whether a job gives the same rows when it is run again, and one batch when it is.

Two undisturbed runs may differ where a column holds the time of the batch: that is no fault, since
a batch that is run again has the time that was planned for it, and such columns are left out of the
comparison. A batch that gives other rows the second time (uuid(), rand()) is one: no sink can make
that exactly once for everyone who saw the first.
"""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.audit.life import live, newest_batches
from holdfast.audit.recording import Recording, last_words
from holdfast.audit.room import Room, Workload
from holdfast.core.crash.table import Table, table_of
from holdfast.errors import UnreachableError

_WITHIN_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Steadiness:
    """Columns that are not the same every time; '*' where the number of rows is not."""

    varying: frozenset[str] = frozenset()
    """In two undisturbed runs."""
    unrepeatable: frozenset[str] = frozenset()
    """In one batch that was run twice."""


def differing(one: Table, other: Table) -> frozenset[str]:
    """Columns whose values are other ones, as multisets."""
    if len(one.rows) != len(other.rows) or (one.rows and one.columns != other.columns):
        return frozenset({"*"})
    if not one.rows or Counter(one.rows) == Counter(other.rows):
        return frozenset()
    values = zip(
        one.columns, zip(*one.rows, strict=True), zip(*other.rows, strict=True), strict=True
    )
    found = frozenset(name for name, left, right in values if Counter(left) != Counter(right))
    # Every column agrees and the rows do not: they are combined otherwise.
    return found or frozenset(one.columns)


def second_run(workload: Workload, recording: Recording, folder: Path) -> frozenset[str]:
    """Columns in which a second undisturbed run differs from the recording."""
    folder.mkdir(parents=True)
    with workload.furnish(folder) as room:
        life = live(room, 1, within_s=_WITHIN_S)
    if not life.is_done:
        raise UnreachableError(
            f"the job ended well once, and not in a second undisturbed run:\n"
            f"{last_words(room, life)}",
            subject=workload.title,
            next_action=f"read {room.log(1, 'log')}",
        )
    return differing(recording.answer, room.output.read().without(recording.left_out))


def one_batch_twice(
    room: Room, declaration: Path, job: str, environ: Mapping[str, str], folder: Path
) -> frozenset[str]:
    """Columns in which the last batch of a finished run differs when it is run two more times."""
    last = newest_batches(room)[1]
    assert last is not None
    copies = [folder / "first", folder / "second"]
    for copy in copies:
        shutil.copytree(room.checkpoint, copy)
        for name in (f"{last}", f".{last}.crc"):
            (copy / "commits" / name).unlink(missing_ok=True)
    answer = folder / "rows.json"
    module = (sys.executable, "-m", "holdfast.adapters.spark.rerun")
    with ProcessGroup(
        [*module, str(declaration), job, str(answer), *map(str, copies)],
        folder=folder,
        environ=environ,
        output=folder / "rerun.out",
        talk=folder / "rerun.log",
    ) as running:
        code = running.wait(_WITHIN_S)
    if code != 0:
        raise UnreachableError(
            "one batch could not be run twice",
            subject=job,
            next_action=f"read {folder / 'rerun.log'}",
        )
    first, second = (_table(rows) for rows in json.loads(answer.read_bytes()))
    return differing(first, second)


def _table(rows: list[str]) -> Table:
    values: list[dict[str, Any]] = [json.loads(row) for row in rows]
    columns = sorted({name for value in values for name in value})
    return table_of(columns, ([value.get(name) for name in columns] for value in values))
