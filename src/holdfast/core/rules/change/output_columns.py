"""HF496: the code changed, and whether its rows still fit the sink was not compared.

Spark does not remember the columns of a query. Code that adds, drops or changes a column makes a
Delta table refuse every batch, a folder of Parquet unreadable, and a table lack values from then
on. Sinks of Holdfast check columns before the first batch.

Means: another transform or another code revision than at the last start.
Verdict: unknown for resume and replay; a note where the sink is one of ours, which refuses what
does not fit.
Do: compare the columns of the new code with those of the table.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, change_of
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_CHECKS_COLUMNS = ("sql", "files")
"""Sinks of ours that refuse columns that do not fit before they write."""


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None:
        return
    before, after = change.before, change.after
    if before.transform != after.transform:
        difference = f"transform {arrow(before.transform, after.transform)}"
    elif (before.code_revision or after.code_revision) != (
        after.code_revision or before.code_revision
    ):
        difference = f"code revision {arrow(before.code_revision, after.code_revision)}"
    else:
        return
    checked = after.sink_kind in _CHECKS_COLUMNS
    yield rule.found(
        "note" if checked else "unknown",
        f"{difference}: whether its rows still fit the sink was not compared",
        evidence=change.known_from,
        consequence=""
        if checked
        else "a column more, less or of another type is refused, or spoils the output",
        next_action="" if checked else "compare the columns of the new code with the table",
    )


RULE = Rule(code="HF496", title="new code may not fit the sink", check=_check)
