"""Holdfast makes restarts of Spark Structured Streaming safe.

The public door: everything else may move between releases.
"""

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.finding import Finding
from holdfast.errors import (
    CheckpointError,
    HoldfastError,
    MalformedError,
    NewerVersionError,
    NotACheckpointError,
    NotInstalledError,
    TooLargeError,
    UnreachableError,
    UsageError,
)
from holdfast.flows.show import Shown, show

__all__ = [
    "Absent",
    "Checkpoint",
    "CheckpointError",
    "Finding",
    "HoldfastError",
    "Known",
    "MalformedError",
    "NewerVersionError",
    "NotACheckpointError",
    "NotInstalledError",
    "Shown",
    "TooLargeError",
    "UnreachableError",
    "Unreadable",
    "UsageError",
    "show",
]
