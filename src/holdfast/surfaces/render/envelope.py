"""The one JSON envelope: what it is, about what, the answer, and what is odd about it."""

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.finding import Finding
from holdfast.errors import HoldfastError


def envelope(
    name: str, target: str, result: Mapping[str, Any], warnings: Iterable[Finding] = ()
) -> dict[str, Any]:
    """Wrap an answer. Fields may be added under the same number, never changed or removed."""
    return {
        "schema": f"holdfast/{name}/1",
        "target": target,
        "result": result,
        "warnings": [
            {"code": w.code, "severity": w.severity, "message": w.message, "path": w.path}
            for w in warnings
        ],
    }


def error_envelope(error: HoldfastError) -> dict[str, Any]:
    """Wrap an error, so that a program never has to read prose."""
    return {
        "schema": "holdfast/error/1",
        "target": error.subject,
        "error": {
            "code": error.code,
            "message": error.message,
            "next_action": error.next_action,
        },
        "warnings": [],
    }
