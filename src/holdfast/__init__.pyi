# What type checkers see of the package; __init__.py loads these names when they are asked for.
from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.finding import Finding
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
from holdfast.flows.show import Shown, show
from holdfast.flows.start import sink, start

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

__version__: str
