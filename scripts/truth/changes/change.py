"""What a change is: one thing that happens to a query between two starts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from scripts.truth.stage import Stage
from scripts.truth.workloads import WORKLOADS, Workload

Touches = Literal["nothing", "checkpoint", "sink", "source", "code", "settings", "version"]
Act = Callable[[Stage], None]


def nothing(stage: Stage) -> None:
    """Leave everything as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change, and the workloads that it is made to."""

    name: str
    touches: Touches
    text: str
    """What happened, for a person who reads the table."""
    on: tuple[str, ...]
    act: Act = nothing
    """What it does on disk, to the sink, to the source, or to what the next start is told."""
    variant: str = ""
    """A change of the code: session_queries.py has it by this name."""
    settings: Mapping[str, str] = field(default_factory=dict)
    mode: str = "append"
    spark: str | None = None
    """The version that starts it; the one that made the checkpoint where it is not said."""
    first: str | None = None
    """The version that makes the checkpoint, where it is always the same."""

    def applies_to(self, workload: Workload, version: str) -> bool:
        return (
            workload.name in self.on
            and workload.runs_on(version)
            and (self.first is None or self.first == version)
            and (self.spark is None or workload.runs_on(self.spark))
        )


FILES = ("files-parquet", "files-foreach")
WINDOWS = ("windows-hdfs", "windows-rocks1", "windows-rocks2")
STATEFUL = tuple(name for name, each in WORKLOADS.items() if each.is_stateful)
PLAIN_STATEFUL = tuple(n for n in STATEFUL if not WORKLOADS[n].needs_jars)
DELTA = ("files-delta", "files-deltatxn")
EVERY = tuple(WORKLOADS)
