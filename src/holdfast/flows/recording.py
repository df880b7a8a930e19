"""Keep what a query did: its progress and the seals of its batches."""

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.core.run_ports import Records


class Recorder:
    """Placeholder."""

    def __init__(
        self, checkpoint: str, records: Records, epoch: int, *, monotonic: Callable[[], float]
    ) -> None:
        """Keep."""
        self.trouble: str | None = None

    def note(self, progress: Mapping[str, Any]) -> None:
        """Keep."""

    def tick(self) -> None:
        """Keep."""

    def close(self) -> None:
        """Keep."""
