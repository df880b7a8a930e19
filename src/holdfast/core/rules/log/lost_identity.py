"""HF403: metadata is gone or cannot be read: the query has lost its id.

The id is what Delta, Iceberg and our ledgers remember batches under. Spark 4.2 and newer refuse to
start without it (STREAMING_CHECKPOINT_MISSING_METADATA_FILE, SPARK-55058). Older ones make up a new
id without a word, and a sink that remembers the old one takes a batch that runs again for a new
one: its rows come twice.

Means: `metadata` is missing or unreadable, and batches were planned.
Verdict: unsafe for resume and replay.
Do: write the old id back: our records, the sink's own marks or a backup have it.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if isinstance(evidence.query_id, Known) or not evidence.has_batches:
        return
    remembered = _remembered(evidence)
    known = f"; it was {remembered}" if remembered else ""
    yield rule.found(
        "unsafe",
        f"the query id is lost{known}",
        evidence="metadata",
        consequence="Spark 4.2 and newer refuse to start; older ones go on under a new id, and "
        "the sink takes a batch that runs again for a new one",
        next_action="bring metadata back from a backup"
        + (f', or write {{"id":"{remembered}"}}' if remembered else ""),
    )


def _remembered(evidence: Evidence) -> str | None:
    records = evidence.remembered
    if isinstance(records, Known) and isinstance(records.value.query_id, Known):
        return records.value.query_id.value
    return None


RULE = Rule(code="HF403", title="the query has lost its id", check=_check)
