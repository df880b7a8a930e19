"""HF443: the sink remembers batches that this checkpoint has not come to.

The checkpoint was cut back, emptied, or restored from an older copy, and the sink was not. The next
batches get numbers that the sink has seen under the same id: Delta, Iceberg, the file sink and
writes with txnAppId drop them with an INFO line at most, and with them every new row that they
bring. The checkpoint then says that those rows are done. The file sink knows batches by number
alone, so a new query id does not help it.

Means: the highest batch that the sink remembers is above the newest plan.
Verdict: unsafe for resume.
Do: bring the checkpoint back to where the sink is, or plan a replay that lowers the sink's memory
with it.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    planned = evidence.offsets.newest if evidence.offsets.newest is not None else -1
    for sink in evidence.sinks:
        if sink.skips == "never" or not isinstance(sink.last, Known):
            continue
        last = sink.last.value
        if last <= planned:
            continue
        lost, words = _to_be_dropped(evidence, sink)
        checked = " or refused" if sink.skips == "checked" else ""
        yield rule.found(
            "unsafe",
            f"{sink.sink} remembers batch {last:,}, and the newest plan is "
            f"{'none' if planned < 0 else f'{planned:,}'}",
            evidence=sink.last.origin,
            consequence=f"batches {planned + 1:,} to {last:,} will be dropped{checked}, with every "
            f"new row in them{words}",
            next_action=f"restore a copy of the checkpoint that reaches batch {last:,}",
            rows=lost,
            unit="records will be skipped" if lost is not None else None,
        )


def _to_be_dropped(evidence: Evidence, sink: SinkMemory) -> tuple[int | None, str]:
    """How many records the next batch loses, where the source and the sink both count.

    From nothing, the next batch covers all that the source has; what of it is in the sink already
    is what the sink's marks count. That is a number of rows for as many records: a filter in
    between makes it another one.
    """
    if evidence.has_batches or not evidence.sources or not sink.batches:
        return None, ""
    marks = sink.batches
    if sink.oldest_known != 0 or any(mark.rows is None for mark in marks):
        return None, ""
    spans = [
        part.latest - (part.earliest or 0)
        for source in evidence.sources
        for part in source.parts
        if part.latest is not None
    ]
    if not spans:
        return None, ""
    held = sum(mark.rows or 0 for mark in marks)
    lost = max(0, sum(spans) - held)
    return lost, (
        f": the source has {sum(spans):,} records and the sink {held:,} rows of this query; if "
        "each record gives one row"
    )


RULE = Rule(
    code="HF443",
    title="the sink is ahead of the checkpoint",
    check=_check,
    goals=frozenset({"resume"}),
)
