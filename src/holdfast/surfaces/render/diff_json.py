"""The JSON of `diff`."""

from dataclasses import asdict
from typing import Any

from holdfast.core.finding import Finding
from holdfast.flows.diff import Diffed


def diff_result(diffed: Diffed) -> dict[str, Any]:
    """The `result` of the envelope."""
    difference = diffed.difference
    return {
        "left": diffed.left.location,
        "right": diffed.right.location,
        "equal": difference.is_empty,
        "lineage": difference.lineage,
        "last_equal_batch": difference.last_equal_batch,
        "first_unequal_batch": difference.first_unequal_batch,
        "logs": [asdict(change) for change in difference.logs],
        "sources": [
            {
                "position": source.position,
                "left": {"kind": source.kinds[0], "text": source.texts[0]},
                "right": {"kind": source.kinds[1], "text": source.texts[1]},
                "left_is": source.order,
            }
            for source in difference.sources
        ],
        "conf": [asdict(change) for change in difference.conf],
        "operators": [asdict(change) for change in difference.operators],
        "schemas": [asdict(change) for change in difference.schemas],
    }


def diff_findings(diffed: Diffed) -> tuple[Finding, ...]:
    """What is odd about either side, with the side in its path."""
    return tuple(
        Finding(code=f.code, message=f.message, path=f"{side}: {f.path}" if f.path else side)
        for side, checkpoint in (("left", diffed.left), ("right", diffed.right))
        for f in checkpoint.warnings
    )
