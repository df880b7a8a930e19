"""HF449: a reset, and what becomes of the output.

A new checkpoint has a new query id and begins with batch 0. Delta, Iceberg and our ledgers do not
know the new id and append everything a second time. The file sink knows batches by number alone and
a fixed txnAppId stays the same: both drop batches 0 to the last one they remember, and the rows in
them are lost. Emptying the table keeps that memory; a new table has none.

Means: the goal is reset.
Verdict: unsafe where the output is kept, and where it is emptied but its memory stays; safe for a
new output.
Do: say what becomes of the output: `--with-output new`, `cleared` or `kept`.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.fact import Absent, Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_DROPS = ("file-sink", "delta-txn")
"""Sinks whose memory does not depend on the query id."""


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    fate = evidence.intent.output
    if fate == "new":
        return
    if fate is None:
        yield rule.found(
            "unknown",
            "nobody said what becomes of the output",
            evidence="the goal",
            consequence="kept, its rows come twice or new rows are dropped, by sink",
            next_action="add --with-output new, cleared or kept",
        )
        return
    for sink in evidence.sinks:
        drops = sink.kind in _DROPS
        if fate == "cleared" and not drops:
            continue
        if isinstance(sink.last, Absent) and not sink.batches and sink.kind != "none":
            continue  # it holds nothing of this query
        held = _rows(sink)
        last = f"{sink.last.value:,}" if isinstance(sink.last, Known) else "the last"
        yield rule.found(
            "unsafe",
            f"{sink.sink} {'remembers batches by number' if drops else 'keeps its rows'}",
            evidence=sink.last.origin,
            consequence=f"batches 0 to {last} of the new query are dropped: their rows are lost"
            if drops
            else "every row is written a second time",
            next_action="write to a new output"
            if drops
            else "empty the table first, or write to a new one",
            rows=None if drops else held,
            unit=None if drops or held is None else "rows would be there twice",
        )


def _rows(sink: SinkMemory) -> int | None:
    if not sink.batches or sink.oldest_known != 0 or any(m.rows is None for m in sink.batches):
        return None
    return sum(mark.rows or 0 for mark in sink.batches)


RULE = Rule(code="HF449", title="a reset and its output", check=_check, goals=frozenset({"reset"}))
