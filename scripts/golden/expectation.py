"""expected.json: what Spark itself said about a checkpoint, and nothing else.

No file of the checkpoint is opened here. If these facts were parsed out of the files, a test that
compares our reader with them would compare our reader with itself.
"""

from __future__ import annotations

import json
from typing import Any

from places import Place


def write(place: Place) -> None:
    """Put the query's facts and the state readers' facts together beside the golden checkpoint."""
    facts = json.loads(place.facts.read_text())
    expected = from_query(facts)
    if place.state_facts.exists():
        expected.update(json.loads(place.state_facts.read_text()))
    if facts["note"]:
        expected["note"] = facts["note"]
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (place.golden / "expected.json").write_text(text + "\n")


def from_query(facts: dict[str, Any]) -> dict[str, Any]:
    """The part of the expectation that comes from progress events."""
    expected: dict[str, Any] = {
        "spark_version": facts["spark_version"],
        "case": facts["case"],
        "query_id": facts["query_id"],
        "run_ids": facts["run_ids"],
        "in_flight": facts["in_flight"],
        "batches_finished": [event["batchId"] for event in facts["progress"]],
        "batches": [short(event) for event in facts["progress"]],
    }
    if not facts["progress"]:
        return expected
    last = facts["progress"][-1]
    expected["last_progress"] = last
    expected["sources"] = [
        {"description": source["description"], "end_offset": source["endOffset"]}
        for source in last["sources"]
    ]
    if "watermark" in last.get("eventTime", {}):
        expected["watermark"] = last["eventTime"]["watermark"]
    return expected


def short(event: dict[str, Any]) -> dict[str, Any]:
    """One finished batch: what a reader of the logs must find again."""
    batch = {
        "batch_id": event["batchId"],
        "run_id": event["runId"],
        "timestamp": event["timestamp"],
        "input_rows": event["numInputRows"]
        if "numInputRows" in event
        else sum(source["numInputRows"] for source in event["sources"]),
        "sources": [
            {"start_offset": source["startOffset"], "end_offset": source["endOffset"]}
            for source in event["sources"]
        ],
    }
    if "watermark" in event.get("eventTime", {}):
        batch["watermark"] = event["eventTime"]["watermark"]
    return batch
