# What type checkers see of the package; __init__.py loads these names when they are asked for.
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

__version__: str
