"""A room: one folder in which a job lives from its first start to its end, and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from holdfast.adapters.proxy.proxy import Proxy
from holdfast.core.crash.place import Layout
from holdfast.core.crash.table import Table


class Output(Protocol):
    """What a sink has written."""

    def read(self) -> Table:
        """Every row that a reader would see now; empty where nothing was written yet.

        Changes nothing, also where the writer was killed. Raises UnreachableError where a reader
        would fail.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Where one life after the other is led, on the same checkpoint and the same output."""

    folder: Path
    arguments: tuple[str, ...]
    working_folder: Path
    environ: Mapping[str, str]
    checkpoint: Path
    layout: Layout
    output: Output
    exact: bool = True
    """The job is held at each operation by the gate, not only watched."""
    take_over: tuple[str, ...] = ()
    """More arguments for a start while an older one still holds the job; none where it cannot."""
    settle_s: float | None = None
    """A job that never ends by itself is taken as done when it has been idle for so long."""
    proxies: tuple[Proxy, ...] = ()
    """Ports through which the job talks to servers."""
    last_batch: Callable[[], int | None] | None = None
    """The newest batch that the sink's own ledger holds, where it can be asked."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        for proxy in self.proxies:
            proxy.close()

    def log(self, life: int, stream: str) -> Path:
        """Where the output of one life goes."""
        return self.folder / f"life-{life}.{stream}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What is audited: how to make a room for it, and what it promises."""

    title: str
    furnish: Callable[[Path], Room]
    """Makes a room in an empty folder."""
    whole_batches: bool
    """The sink promises that a batch is visible whole or not at all."""
    key: tuple[str, ...] = ()
    """Columns that tell a row, where it has a key."""
    ignore: frozenset[str] = frozenset()
    """Columns that are not compared."""
    answer: str | None = None
    """The right answer as `--answer` spells it; None where it is that of the undisturbed run."""
    clear: Callable[[Path], None] = lambda _place: None
    """Removes what a room has outside its folder, once nobody needs it any more."""
    parallel: bool = True
    """Rooms do not disturb each other."""
    twice: Callable[[Room, Path], frozenset[str]] | None = None
    """Runs the last batch of a finished room two more times, in an empty folder: the columns that
    differ. None where that cannot be done from outside."""
