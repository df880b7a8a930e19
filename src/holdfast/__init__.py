"""Holdfast makes restarts of Spark Structured Streaming safe.

The public door: everything else may move between releases.
"""

from holdfast.errors import (
    CheckpointError,
    HoldfastError,
    LeaseHeldError,
    MalformedError,
    NewerVersionError,
    NotACheckpointError,
    NotInstalledError,
    RefusedError,
    TooLargeError,
    UnreachableError,
    UsageError,
)
from holdfast.lazy_names import lazy_names as _lazy_names

__all__ = [
    "Absent",
    "Checkpoint",
    "CheckpointError",
    "Finding",
    "HoldfastError",
    "Known",
    "LeaseHeldError",
    "MalformedError",
    "NewerVersionError",
    "NotACheckpointError",
    "NotInstalledError",
    "RefusedError",
    "Shown",
    "TooLargeError",
    "UnreachableError",
    "Unreadable",
    "UsageError",
    "show",
    "sink",
    "start",
]

__getattr__ = _lazy_names(
    __name__,
    {
        "Absent": "holdfast.core.fact",
        "Checkpoint": "holdfast.core.checkpoint",
        "Finding": "holdfast.core.finding",
        "Known": "holdfast.core.fact",
        "Shown": "holdfast.flows.show",
        "Unreadable": "holdfast.core.fact",
        "show": "holdfast.flows.show",
        "sink": "holdfast.flows.start",
        "start": "holdfast.flows.start",
    },
)

__version__ = "0.1.0"
