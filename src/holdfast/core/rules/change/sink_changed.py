"""HF476: the query would write into another sink, or to another place.

The checkpoint goes on after the last batch; whatever came before is in the old sink and stays
there. A new table begins with a hole. Spark's own file sink is worse off: its manifest must hold
every batch, so that one that begins in the middle makes each reader fail. A batch in flight may lie
in the old sink already, and is written to the new one once more.

Means: kind or place of the sink differs from the last start.
Verdict: unsafe for tables and folders; a note for topics, functions and HTTP, where readers follow
a stream, and for a table that remembers the last batch of this query: it is the same one, moved.
Do: keep the sink; or begin a new checkpoint, and plan a backfill for what came before.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import Change, arrow, change_of
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight

_STREAMS = frozenset({"kafka", "http", "python"})
_SPARKS_FILES = "file"


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None:
        return
    difference = _difference(change)
    if difference is None:
        return
    weight, consequence = _weight(evidence, change.after.sink_kind or "")
    if evidence.in_flight is not None:
        consequence += (
            f"; batch {evidence.in_flight:,} may be in the old sink, and is written to the new one"
        )
    yield rule.found(
        weight,
        difference,
        evidence=change.known_from,
        consequence=consequence,
        next_action="keep the sink, or begin a new checkpoint and plan a backfill"
        if weight == "unsafe"
        else "",
    )


def _difference(change: Change) -> str | None:
    before, after = change.before, change.after
    if before.sink_kind is None or after.sink_kind is None:
        return None
    if before.sink_kind != after.sink_kind:
        was, now = (f"{q.sink_kind} {q.sink_place or ''}".strip() for q in (before, after))
        return f"kind of sink: {arrow(was, now)}"
    if _same(before.sink_place) == _same(after.sink_place):
        return None
    return f"place of the sink: {arrow(before.sink_place, after.sink_place)}"


def _same(place: str | None) -> str:
    text = place or ""
    if text.startswith("file:"):
        text = "/" + text.removeprefix("file:").lstrip("/")
    return text.rstrip("/")


def _weight(evidence: Evidence, kind: str) -> tuple[Weight, str]:
    done = evidence.done_through
    if done is None:
        return "note", "nothing was committed yet"
    if kind == _SPARKS_FILES:
        return "unsafe", (
            f"the manifest there begins after batch {done:,}: whoever reads the folder with Spark "
            "fails, and the rows before are not in it"
        )
    if kind in _STREAMS:
        return "note", f"what came up to batch {done:,} is not there"
    remembered = [each.last.value for each in evidence.sinks if isinstance(each.last, Known)]
    if remembered and len(remembered) == len(evidence.sinks) and min(remembered) >= done:
        return "note", f"it remembers batch {min(remembered):,} of this query: the same one, moved"
    return "unsafe", f"rows of the batches up to {done:,} are not there, and nothing brings them"


RULE = Rule(code="HF476", title="another sink", check=_check)
