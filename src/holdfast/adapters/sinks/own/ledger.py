"""The ledger of a sink whose target has none: which chunks were acknowledged, and which were sent.

It lies among the records beside the checkpoint, one small file for each epoch:

    sinks/<sink>/<query id>/<epoch>

A start creates the file of its epoch, which is the fence: whoever sees a higher one must stop. It
then writes to its own file alone, so that a writer that was thought dead cannot take back what its
successor has written down. What holds is in the file of the highest epoch that says anything.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any, Self
from urllib.parse import quote

from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import Records
from holdfast.errors import FencedError, GuardedError, InternalError, MalformedError

VERSION = 1
BATCHES_KEPT = 20
"""Marks kept besides the last one. Spark replays one batch; the others are for people."""

OTHER_ROWS = "HF226"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A batch that the target holds."""

    batch: int
    epoch: int
    rows: int
    chunks: int
    digest: str
    """The digests of its chunks, one into the other."""
    offsets: str
    """A digest of its offsets; empty where they are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The batch that is being written."""

    batch: int
    offsets: str
    chunk_rows: int
    """As the batch began: another cut would make other chunks."""
    acknowledged: int = 0
    """Chunks that the target has taken, from the first on."""
    rows: int = 0
    chain: str = ""
    """The digests of those chunks, one into the other."""
    sent: str = ""
    """Digest of the chunk after them, where it was sent, or was about to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """All that the ledger knows of a query."""

    marks: tuple[Mark, ...] = ()
    begun: Begun | None = None

    @property
    def last_batch(self) -> int | None:
        """The newest batch that the target holds whole."""
        return self.marks[-1].batch if self.marks else None

    def encode(self) -> bytes:
        """As it is stored."""
        return json.dumps({"version": VERSION, "state": asdict(self)}, sort_keys=True).encode()

    @classmethod
    def decode(cls, data: bytes, place: str) -> Self | None:
        """As it was stored; None where that epoch has said nothing yet."""
        try:
            said = json.loads(data)
            if said["version"] != VERSION:
                raise MalformedError(
                    f"the ledger has version {said['version']}, which this release does not know",
                    subject=place,
                    next_action="use the release that wrote it",
                )
            if said["state"] is None:
                return None
            begun = said["state"]["begun"]
            return cls(
                marks=tuple(Mark(**mark) for mark in said["state"]["marks"]),
                begun=None if begun is None else Begun(**begun),
            )
        except (ValueError, TypeError, KeyError) as error:
            raise MalformedError(
                "the ledger cannot be read: it is no file of ours, or damaged",
                subject=place,
                next_action="bring it back from a copy; without it a chunk may be written twice",
            ) from error


_SILENT = json.dumps({"version": VERSION, "state": None}).encode()


class Ledger:
    """The ledger of one query and sink."""

    def __init__(self, records: Records, sink: str, query_id: str) -> None:
        """Nothing is read yet."""
        self._records = records
        self._folder = f"sinks/{quote(sink, safe='')}/{quote(query_id, safe='')}"
        self._sink = sink
        self._query_id = query_id

    def raise_fence(self, epoch: int) -> None:
        """Let no lower epoch write any more; raises FencedError where a higher one was here."""
        self.check_fence(epoch)
        self._records.create(self._name(epoch), _SILENT)
        self.check_fence(epoch)

    def check_fence(self, epoch: int) -> None:
        """Raises FencedError where a higher epoch has been here."""
        highest = max(self._epochs(), default=epoch)
        if highest > epoch:
            raise FencedError(
                f"epoch {highest} has taken over sink {self._sink!r}; this is epoch {epoch}",
                subject=self._query_id,
                next_action="stop this query: a newer start of it is writing",
            )

    def state(self) -> State:
        """What holds now."""
        for epoch in sorted(self._epochs(), reverse=True):
            data = self._records.read(self._name(epoch))
            place = f"{self._records.location}/{self._name(epoch)}"
            found = None if data is None else State.decode(data, place)
            if found is not None:
                return found
        return State()

    def write(self, epoch: int, state: State) -> None:
        """Let this hold from now on, durably."""
        self._records.replace(self._name(epoch), state.encode())

    def _epochs(self) -> Sequence[int]:
        return [int(name) for name in self._records.names(self._folder) if name.isdecimal()]

    def _name(self, epoch: int) -> str:
        return f"{self._folder}/{epoch}"


def with_mark(state: State, mark: Mark) -> State:
    """The state once a batch is whole; the oldest marks go, the last never."""
    return State(marks=(*state.marks, mark)[-(BATCHES_KEPT + 1) :], begun=None)


def with_begun(state: State, begun: Begun) -> State:
    """The state with another step of the batch that is being written."""
    return replace(state, begun=begun)


def chained(chain: str, digest: str) -> str:
    """A digest of digests, one chunk longer."""
    return blake2b(f"{chain}{digest}".encode(), digest_size=16).hexdigest()


def offsets_digest(offsets: Mapping[str, Any], batch: Batch) -> str:
    """The offsets of a batch, short enough for every step; empty where they are not known."""
    if not offsets:
        return ""
    try:
        text = json.dumps(offsets, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InternalError(
            f"the offsets of batch {batch.batch_id} cannot be kept: {error}",
            subject=batch.query_id,
        ) from error
    return blake2b(text.encode(), digest_size=16).hexdigest()


def other_offsets(sink: str, batch: Batch) -> GuardedError:
    """A batch id that comes with other offsets than before."""
    return GuardedError(
        OTHER_ROWS,
        f"sink {sink!r} knows batch {batch.batch_id} with other offsets than it now comes with: it "
        "is another batch, and nothing of it was written",
        "take target, records and checkpoint back together, or begin a new checkpoint",
    )


def other_rows(sink: str, batch: Batch, chunk: int) -> GuardedError:
    """A chunk that comes with other rows than before."""
    return GuardedError(
        OTHER_ROWS,
        f"chunk {chunk} of batch {batch.batch_id} comes again with other rows than were sent to "
        f"sink {sink!r} before: it was not written",
        "finish the batch with the transform it began with, which must be repeatable: no rand(), "
        "uuid() or clock",
    )
