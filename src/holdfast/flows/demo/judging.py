"""Hold what the streams wrote against one batch query over all the input."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from holdfast.adapters.sqlite_rows import read_rows
from holdfast.core.crash.comparison import Comparison, Row, compare
from holdfast.errors import UnreachableError
from holdfast.flows.demo.project import ANSWER, Project

GOLD_COLUMNS = ("sensor", "sequence", "reading", "version")
_ANSWER_WITHIN_S = 300.0
_QUARANTINED = -1
"""The last column of a reading says whether it was quarantined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Rows in, where they are now, and what became of them."""

    rows_in: int
    good: int
    quarantined: int
    readings: Comparison
    """The table of readings; its rows have no key."""
    gold: Comparison
    """Gold; its key is the sensor."""

    @property
    def lost(self) -> int:
        """Rows that are missing anywhere."""
        return self.readings.lost + self.gold.lost

    @property
    def duplicated(self) -> int:
        """Rows that are there too often, anywhere."""
        return self.readings.duplicated + self.gold.duplicated

    @property
    def changed(self) -> int:
        """Rows with other values than they should have, or from nowhere."""
        return (
            self.gold.changed
            + self.gold.unexpected
            + self.readings.changed
            + self.readings.unexpected
        )

    @property
    def is_exact(self) -> bool:
        """Whether every row is there once, as it should be, and none was passed over."""
        all_counted = self.rows_in == self.good + self.quarantined
        # Two empty answers agree; they prove nothing.
        some = self.rows_in > 0 and self.gold.expected > 0
        return some and all_counted and self.readings.is_equal and self.gold.is_equal


def ask_batch_query(project: Project) -> dict[str, Any]:
    """Run the project's batch query in a Spark of its own, and take its answer."""
    with project.start("batch-answer", ANSWER) as asking:
        code = asking.wait(_ANSWER_WITHIN_S)
    try:
        if code == 0:
            answer: dict[str, Any] = json.loads(project.output("batch-answer").read_bytes())
            return answer
    except (OSError, ValueError):
        pass  # told below
    raise UnreachableError(
        "the batch query gave no answer",
        subject=str(project.folder / ANSWER),
        next_action=f"read {project.talk('batch-answer')}",
    )


def judge(answer: dict[str, Any], gold: Iterable[Row]) -> Judgement:
    """Compare both tables, as multisets, with what the batch query says they should hold."""
    readings = _rows(answer["readings"])
    quarantined = sum(bool(row[_QUARANTINED]) for row in readings)
    return Judgement(
        rows_in=int(answer["lines"]),
        good=len(readings) - quarantined,
        quarantined=quarantined,
        readings=compare(_rows(answer["deserialized"]), readings),
        gold=compare(_rows(answer["newest"]), gold, key=lambda row: row[0]),
    )


def gold_rows(project: Project) -> list[Row]:
    """Gold as any program reads it."""
    return read_rows(project.database, "gold", GOLD_COLUMNS)


def _rows(values: Iterable[Iterable[Any]]) -> list[Row]:
    return [tuple(value) for value in values]
