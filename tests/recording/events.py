"""Progress events as Spark 4 reports them, cut to what matters."""

from typing import Any

RUN = "0a1b2c3d-0000-4000-8000-000000000001"


def event(batch: int, rows: int = 10, **more: Any) -> dict[str, Any]:
    """A batch that was run."""
    return {
        "id": "4b41c017-66c9-4266-832e-b7bdca059b6e",
        "runId": RUN,
        "name": "merge-gold",
        "timestamp": f"2026-11-14T02:{batch // 60:02d}:{batch % 60:02d}.000Z",
        "batchId": batch,
        "batchDuration": 120 + batch,
        "durationMs": {"addBatch": 80, "commitOffsets": 10, "triggerExecution": 120 + batch},
        "numInputRows": rows,
        "inputRowsPerSecond": 10.0,
        "processedRowsPerSecond": 83.3,
        "stateOperators": [],
        "sources": [{"description": "FileStreamSource[file:/in]", "numInputRows": rows}],
        "sink": {"description": "ForeachBatchSink", "numOutputRows": -1},
        **more,
    }


def idle(batch: int, second: int = 0) -> dict[str, Any]:
    """Nothing to do: under the id of the batch to come, and nothing handed to the sink."""
    quiet = {"latestOffset": 3, "triggerExecution": 3}
    at = f"2026-11-14T03:00:{second:02d}.000Z"
    return event(batch, rows=0, durationMs=quiet, batchDuration=3, timestamp=at)
