"""The step on a Delta table: rows and memory back to an earlier version, by one commit.

RESTORE of Spark leaves the memory alone, and Spark can never lower it; delta-rs writes both into
one commit. That commit carries the operation's id, so that whoever goes on or goes back sees how
far it came.
"""

from collections.abc import Sequence

from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import DeltaError

from holdfast.adapters.clock import now_ms
from holdfast.adapters.memories.delta import open_table
from holdfast.core.plans.ports import Direction
from holdfast.core.plans.step import RestoreTable
from holdfast.errors import RefusedError, StalePlanError

NOTE = "holdfastOperation"
"""In the commit: which operation, and which way."""


def carry_delta(step: RestoreTable, direction: Direction, operation: str) -> None:
    """Restore, unless that is done; raises StalePlanError where somebody else wrote since."""
    table = _opened(step)
    note = f"{operation} {direction}"
    stands = _stands(table, step, operation)
    if stands == direction:
        return
    if stands is None and direction == "undo":
        return
    version, mark = (
        (step.to_version, step.to_mark) if direction == "do" else (step.version, step.mark)
    )
    try:
        table.restore(
            version,
            commit_properties=CommitProperties(
                custom_metadata={NOTE: note},
                app_transactions=[Transaction(step.app, mark, now_ms())],
            ),
        )
    except (DeltaError, OSError, ValueError) as error:
        raise RefusedError(
            f"the table could not be restored to version {version:,}: {str(error)[:300]}",
            subject=step.place,
            next_action="see whether a VACUUM removed its files; the table is as it was",
        ) from error
    _read_back(step, operation, direction, mark)


def _read_back(step: RestoreTable, operation: str, direction: Direction, mark: int) -> None:
    table = _opened(step)
    if _stands(table, step, operation) != direction or table.transaction_version(step.app) != mark:
        raise StalePlanError(
            "the table is not as it was left: somebody wrote to it at the same moment",
            subject=step.place,
            next_action="stop every writer of the table, then look at its history",
        )


def _stands(table: DeltaTable, step: RestoreTable, operation: str) -> Direction | None:
    """Which way the newest commit since the plan went; None where there is none."""
    since = table.version() - step.version
    if since == 0:
        return None
    notes: Sequence[str] = (
        [str(each.get(NOTE, "")) for each in table.history(since)] if (since > 0) else [""]
    )
    if all(each in (f"{operation} do", f"{operation} undo") for each in notes):
        return "do" if notes[0].endswith(" do") else "undo"
    raise StalePlanError(
        f"the table has version {table.version():,}, and somebody else wrote since version "
        f"{step.version:,}",
        subject=step.place,
        next_action="look at its history; nothing more was changed",
    )


def _opened(step: RestoreTable) -> DeltaTable:
    table = open_table(step.place)
    if table is None:
        raise StalePlanError("there is no Delta table here any more", subject=step.place)
    return table
