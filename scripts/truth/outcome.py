"""What became of a start: the rows of the sink against the truth, as multisets."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scripts.truth.input_rows import Row, identity
from scripts.truth.workloads import Workload

OutcomeName = Literal[
    "started-right",
    "refused",
    "never-starts",
    "wrote-then-failed",
    "lost",
    "duplicated",
    "changed",
    "unreadable",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How it ended, with the number of rows that are wrong."""

    name: OutcomeName
    lost: int = 0
    duplicated: int = 0
    changed: int = 0
    error: str | None = None

    @property
    def is_right(self) -> bool:
        return self.name == "started-right"

    def __str__(self) -> str:
        parts = [
            f"{what} {count}"
            for what, count in (
                ("lost", self.lost),
                ("duplicated", self.duplicated),
                ("changed", self.changed),
            )
            if count
        ]
        lead = () if self.name in ("lost", "duplicated", "changed") else (self.name,)
        return ", ".join((*lead, *parts))


def outcome_of(
    workload: Workload,
    starts: Sequence[dict[str, Any]],
    before: list[Row] | None,
    after: list[Row] | None,
    truth: "Counter[Row]",
    *,
    logs_moved: bool,
) -> Outcome:
    """Classify what was seen."""
    errors = [start["error"] for start in starts if start["error"]]
    error = errors[-1] if errors else None
    if after is None:
        if starts[-1]["error"]:
            return Outcome(name="never-starts" if logs_moved else "refused", error=error)
        return Outcome(name="unreadable", error=error)
    if starts[-1]["error"]:
        if before is not None and Counter(before) == Counter(after):
            return Outcome(name="never-starts" if logs_moved else "refused", error=error)
        lost, duplicated, changed = differences(workload, after, truth)
        return Outcome(
            name="wrote-then-failed",
            lost=lost,
            duplicated=duplicated,
            changed=changed,
            error=error,
        )
    lost, duplicated, changed = differences(workload, after, truth)
    counts = {"lost": lost, "duplicated": duplicated, "changed": changed}
    wrong = [name for name, count in counts.items() if count]
    name: Any = wrong[0] if wrong else "started-right"
    return Outcome(name=name, **counts, error=error)


def differences(
    workload: Workload, found: list[Row], truth: "Counter[Row]"
) -> tuple[int, int, int]:
    """Rows lost, rows too many, and rows of which only the values are wrong."""
    missing, surplus = truth - Counter(found), Counter(found) - truth
    changed = 0
    wanted = Counter(identity(workload, row) for row in missing.elements())
    for row in list(surplus.elements()):
        name = identity(workload, row)
        if wanted[name]:
            wanted[name] -= 1
            changed += 1
    return missing.total() - changed, surplus.total() - changed, changed
