"""The JSON of `run`."""

from dataclasses import asdict
from typing import Any

from holdfast.core.running.run import RunResult


def run_result(results: tuple[RunResult, ...]) -> dict[str, Any]:
    """The `result` of the envelope."""
    return {"jobs": [asdict(result) for result in results]}
