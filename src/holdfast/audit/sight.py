"""What readers of the output see while the job is killed and started again."""

from collections import Counter

from holdfast.audit.life import Seen
from holdfast.audit.recording import Recording
from holdfast.audit.room import Room
from holdfast.core.crash.operation import Operation
from holdfast.core.crash.point import Key
from holdfast.core.crash.table import Cells
from holdfast.errors import HoldfastError, UnreachableError


class Sight:
    """Looks at the output whenever the job stands still: whole batches, and none that goes away."""

    def __init__(self, room: Room, recording: Recording) -> None:
        """Take what the output was after each batch of the undisturbed run."""
        self._room = room
        self._left_out = recording.left_out
        tables = [recording.before(batch) for batch in range(recording.batches + 1)]
        self._after: list[Counter[Cells]] = [Counter(table.rows) for table in tables]
        self._whole = 0
        self._marked: int | None = None
        """The newest batch that the ledger of the sink has ever shown."""
        self.torn = ""
        """What was seen that no reader should ever see; '' where nothing was."""

    def look(self) -> None:
        """Look once. The first thing that is wrong is kept."""
        if not self.torn:
            self._look_at_ledger()
        if self.torn:
            return
        try:
            rows = Counter(self._room.output.read().without(self._left_out).rows)
        except UnreachableError as error:
            self.torn = error.message
            return
        fitting = [number for number, after in enumerate(self._after) if rows == after]
        if not fitting:
            more = rows.total() - self._after[self._whole].total()
            self.torn = f"half a batch was visible: {more:+,} rows against the last whole batch"
        elif max(fitting) < self._whole:
            self.torn = f"batch {self._whole - 1} was visible, and then it was not"
        else:
            # Batches that change no row look alike: no more is claimed than is sure.
            self._whole = max(self._whole, min(fitting))

    def _look_at_ledger(self) -> None:
        """The last batch that a ledger holds must never go down."""
        if self._room.last_batch is None:
            return
        try:
            last = self._room.last_batch()
        except HoldfastError:
            return  # nothing was seen, so nothing is proven by it
        before = self._marked
        if before is not None and (last is None or last < before):
            now = "none" if last is None else f"batch {last}"
            self.torn = f"the ledger of the sink went back from batch {before} to {now}"
        else:
            self._marked = last


def watching(sight: Sight | None) -> Seen:
    """Looks before each operation on the output, before each commit, and at the word of a server.

    When a server says that something lasts now, no transaction of the job is open for which a
    reader might wait.
    """

    def seen(key: Key, _batch: int, _operation: Operation) -> None:
        commits = key.area == "checkpoint" and key.name.startswith("commits/")
        # Kafka says so before the records are visible in every partition.
        lasts = key.call == "acknowledge" and not key.name.startswith("kafka:")
        if sight is not None and (key.area == "output" or commits or lasts):
            sight.look()

    return seen
