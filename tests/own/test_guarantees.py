"""A weaker guarantee is still held to what it says: who promises too much is convicted."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.sinks.own import sink as own_sink
from holdfast.adapters.sinks.own.chunks import Chunk
from holdfast.adapters.sinks.own.sink import OwnSink
from holdfast.testing import SinkConformance
from tests.own import targets
from tests.own.test_conformance import CHUNK, python_sink


class Claimant(SinkConformance):
    """A target that knows no tokens, and a sink around it."""

    kind: type[OwnSink] = OwnSink

    def open_sink(self, folder: Path) -> OwnSink:
        sink = python_sink(folder, function=targets.forgetful)
        sink.__class__ = self.kind
        return sink

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return targets.rows_of(folder / "rows.db")


class ClaimsAtomic(Claimant):
    """Chunks are seen before their batch is whole."""


class ClaimsExactlyOnce(Claimant):
    guarantee = "exactly-once"


class _AcknowledgesFirst(OwnSink):
    def _deliver(self, writing: Any, chunk: Chunk, token: Any) -> None:
        writing.acknowledge(chunk)
        self._steps("acknowledged")
        super()._deliver(writing, chunk, token)


class Loses(Claimant):
    guarantee = "at-least-once"
    repeated_max = CHUNK
    kind = _AcknowledgesFirst


class _KeepsNoChunks(OwnSink):
    def _send(self, writing: Any, chunk: Chunk) -> None:
        token = own_sink.Token(query_id="q", sink="s", batch_id=0, chunk=0, digest="")
        self._deliver(writing, chunk, token)
        self._steps("sent")


class RepeatsTooMuch(Claimant):
    """Without a ledger of chunks the whole batch comes again."""

    guarantee = "at-least-once"
    repeated_max = CHUNK
    kind = _KeepsNoChunks


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (ClaimsAtomic, "half a batch was visible"),
        (ClaimsExactlyOnce, "3 too many"),
        (Loses, "3 rows lost"),
        (RepeatsTooMuch, "6 rows too many, 3 allowed by its guarantee"),
    ],
)
def test_who_promises_too_much_is_convicted(
    kind: type[Claimant], says: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError) as raised:
        kind().test_killed_at_every_step(tmp_path)
    assert says in str(raised.value)
