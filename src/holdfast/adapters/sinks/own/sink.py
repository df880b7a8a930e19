"""A target of the user's own, written in stable chunks under stable tokens.

What can be promised depends on the target, and on nothing else:

    it remembers tokens            exactly once: a chunk that comes again is not taken again
    it can be asked for a token    exactly once: rows and token went in by one transaction
    neither                        at least once: after a failure one chunk may be there twice

Before a chunk is sent the ledger says so, and after it was acknowledged as well. A replay that
would send other rows under the same place in the batch is refused.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.sinks.batch_check import check_batch
from holdfast.adapters.sinks.own.chunks import Chunk, chunks_of
from holdfast.adapters.sinks.own.ledger import (
    Begun,
    Ledger,
    Mark,
    State,
    chained,
    offsets_digest,
    other_offsets,
    other_rows,
    with_begun,
    with_mark,
)
from holdfast.adapters.sinks.own.token import Token
from holdfast.adapters.sinks.own.trial import TrialTemplate
from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import Binding, Records, TrialTarget
from holdfast.errors import InternalError, RefusedError, UnreachableError

Step = Literal["begin", "chunk", "send", "sent", "acknowledged", "mark", "committed"]
Steps = Callable[[Step], None]
"""Told of each step of a write as it is reached: it is known that the batch has to be written; for
each chunk: it is ready, the ledger knows that it will be sent, the target has taken it, the ledger
knows that; then: the mark of the batch comes next, it is there."""

_WAIT_FIRST_S = 0.5
_WAIT_MAX_S = 30.0

Guarantee = Literal["exactly-once", "at-least-once"]


class PassingError(Exception):
    """The target did not take a chunk now, or did not say so; the same may come again."""

    def __init__(self, said: str, *, wait_s: float | None = None) -> None:
        """Keep what was said, and how long the target wants to be left alone."""
        super().__init__(said)
        self.said = said
        self.wait_s = wait_s


class Target(Protocol):
    """Where chunks go."""

    @property
    def location(self) -> str:
        """What an error may call it, without secrets."""
        ...

    def deliver(self, batch: Batch, chunk: Chunk, token: Token) -> None:
        """Hand over a chunk; returns once it is taken for good.

        Raises PassingError where the same may be tried again, another error where it may not.
        """
        ...

    def has(self, token: Token) -> bool | None:
        """Whether the target holds a chunk; None where it cannot be asked."""
        ...

    def rest(self) -> None:
        """Let go of connections: a batch has ended, well or not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOptions:
    """What every target of the user's own has."""

    name: str
    chunk_rows: int
    attempts: int
    remembers: bool
    can_be_asked: bool
    trial: TrialTemplate | None

    @property
    def guarantee(self) -> Guarantee:
        """What the target's abilities allow."""
        return "exactly-once" if self.remembers or self.can_be_asked else "at-least-once"


def no_steps(_step: Step) -> None:
    """The ordinary Steps: nobody listens."""


class OwnSink:
    """Implements core.running.ports.BatchSink, as far as its target can."""

    def __init__(
        self,
        options: OwnOptions,
        target: Target,
        *,
        records: Records | None = None,
        check: Callable[[], None] = lambda: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Touches nothing yet. Records and lease come by `bind` where a query runs."""
        self.name = options.name
        self.guarantee: Guarantee = options.guarantee
        self._options = options
        self._target = target
        self._records = records
        self._check_lease = check
        self._sleep = sleep
        self._steps: Steps = no_steps
        self._opened: dict[str, Ledger] = {}

    def bind(self, binding: Binding) -> None:
        """Keep the ledger beside this checkpoint, and ask for its lease before each chunk."""
        self._records = open_records(binding.checkpoint)
        self._check_lease = binding.check
        self._opened.clear()

    def listen(self, steps: Steps) -> None:
        """Tell someone else of the steps."""
        self._steps = steps

    def trial(self, folder: str, run: str) -> TrialTarget:
        """The target that the options name for trials of an audit; raises UsageError without."""
        return TrialTemplate.target(self._options.trial, self.name, folder, run)

    def end_trial(self, run: str) -> None:
        """What a trial's target holds is its own."""

    def open(self, query_id: str, epoch: int) -> None:
        """Raise the fence in the ledger; the target itself knows nothing of epochs."""
        if self._records is None:
            raise InternalError(f"sink {self.name!r} was not bound to a checkpoint")
        ledger = Ledger(self._records, self.name, query_id)
        ledger.raise_fence(epoch)
        self._opened[query_id] = ledger

    def last_batch(self, query_id: str) -> int | None:
        """The newest batch of this query that the target holds whole."""
        ledger = self._opened.get(query_id)
        if ledger is None and self._records is not None:
            ledger = Ledger(self._records, self.name, query_id)
        return None if ledger is None else ledger.state().last_batch

    def write(self, batch: Batch) -> bool:
        """Write a batch chunk by chunk, each once; False where the ledger holds it already.

        Raises FencedError where a higher epoch has been seen; RefusedError where the batch comes
        again with other offsets or rows; UnreachableError where the target did not take a chunk.
        The same call may be made again in every case, and goes on where it ended.
        """
        ledger = self._ledger_of(batch)
        ledger.check_fence(batch.epoch)
        state, offsets = ledger.state(), offsets_digest(batch.offsets, batch)
        if state.last_batch is not None and state.last_batch >= batch.batch_id:
            held = next((mark for mark in state.marks if mark.batch == batch.batch_id), None)
            if held is not None and offsets and held.offsets and held.offsets != offsets:
                raise other_offsets(self.name, batch)
            return False
        self._steps("begin")
        writing = _Writing(batch, ledger, state, self._begun(batch, state, offsets), self.name)
        try:
            for chunk in chunks_of(batch, writing.begun.chunk_rows):
                if not writing.is_acknowledged(chunk):
                    self._send(writing, chunk)
        finally:
            self._target.rest()
        writing.check_end()
        self._steps("mark")
        self._check_writer(batch, ledger)
        writing.mark()
        self._steps("committed")
        return True

    def _send(self, writing: "_Writing", chunk: Chunk) -> None:
        batch = writing.batch
        token = Token(
            query_id=batch.query_id,
            sink=self.name,
            batch_id=batch.batch_id,
            chunk=chunk.number,
            digest=chunk.digest,
        )
        self._steps("chunk")
        writing.will_send(chunk)
        self._steps("send")
        self._deliver(writing, chunk, token)
        self._steps("sent")
        writing.acknowledge(chunk)
        self._steps("acknowledged")

    def _deliver(self, writing: "_Writing", chunk: Chunk, token: Token) -> None:
        """Until the target has it; bounded, and asking for the lease before each try."""
        said = ""
        for attempt in range(self._options.attempts):
            self._check_writer(writing.batch, writing.ledger)
            try:
                if not self._target.has(token):
                    self._target.deliver(writing.batch, chunk, token)
                return
            except PassingError as error:
                said = error.said
                wait = min(_WAIT_MAX_S, _WAIT_FIRST_S * 2**attempt) * random.uniform(0.5, 1.0)
                asked = error.wait_s or 0.0
            if attempt + 1 < self._options.attempts:
                self._sleep(max(wait, asked))
        raise UnreachableError(
            f"chunk {chunk.number} of batch {writing.batch.batch_id} was not acknowledged, "
            f"{self._options.attempts} times: {said}",
            subject=self._target.location,
            next_action="check that the target answers; the query goes on where it ended",
        )

    def _check_writer(self, batch: Batch, ledger: Ledger) -> None:
        """Raises FencedError where somebody else writes now.

        Whoever is stopped between this and the target can still deliver the chunk in his hand.
        """
        self._check_lease()
        ledger.check_fence(batch.epoch)

    def _begun(self, batch: Batch, state: State, offsets: str) -> Begun:
        """Where this batch stands; what came before it must be whole."""
        begun = state.begun
        if begun is None:
            rows = self._options.chunk_rows
            return Begun(batch=batch.batch_id, offsets=offsets, chunk_rows=rows)
        if begun.batch != batch.batch_id:
            raise RefusedError(
                f"batch {batch.batch_id} comes, and batch {begun.batch} was begun and not finished",
                subject=batch.query_id,
                next_action="find out who changed the checkpoint, and bring it back",
            )
        if offsets and begun.offsets and begun.offsets != offsets:
            raise other_offsets(self.name, batch)
        return begun

    def _ledger_of(self, batch: Batch) -> Ledger:
        """Mistakes of the caller, found before anything is touched."""
        check_batch(batch, self.name, self._opened)
        ledger = self._opened[batch.query_id]
        names = [name.lower() for name in batch.columns]
        if len(set(names)) != len(names):
            raise RefusedError(
                f"batch {batch.batch_id} has two columns of one name",
                subject=batch.query_id,
                next_action="name each column of the transform once",
            )
        return ledger


class _Writing:
    """One batch on its way: what the ledger knew of it, and what comes now."""

    def __init__(self, batch: Batch, ledger: Ledger, state: State, begun: Begun, sink: str) -> None:
        self.batch = batch
        self.ledger = ledger
        self.begun = begun
        self._state = state
        self._sink = sink
        self._before = begun.acknowledged
        self._seen = 0
        self._chain = ""

    def is_acknowledged(self, chunk: Chunk) -> bool:
        """Whether the target has this chunk; raises where it is not the one it was."""
        self._seen += 1
        if chunk.number >= self._before:
            is_next = chunk.number == self._before and self.begun.sent
            if is_next and self.begun.sent != chunk.digest:
                raise other_rows(self._sink, self.batch, chunk.number)
            return False
        self._chain = chained(self._chain, chunk.digest)
        if chunk.number == self._before - 1 and self._chain != self.begun.chain:
            raise other_rows(self._sink, self.batch, chunk.number)
        return True

    def will_send(self, chunk: Chunk) -> None:
        """Write down what is about to be sent."""
        if self.begun.sent != chunk.digest:
            self._keep(replace(self.begun, sent=chunk.digest))

    def acknowledge(self, chunk: Chunk) -> None:
        """Write down that the target has it."""
        begun = self.begun
        self._keep(
            replace(
                begun,
                acknowledged=chunk.number + 1,
                rows=begun.rows + len(chunk.rows),
                chain=chained(begun.chain, chunk.digest),
                sent="",
            )
        )

    def check_end(self) -> None:
        """Raises where there were more chunks before than there are now."""
        if self._seen < self._before + bool(self.begun.sent):
            raise other_rows(self._sink, self.batch, self._seen)

    def mark(self) -> None:
        """Write down that the batch is whole."""
        begun = self.begun
        mark = Mark(
            batch=begun.batch,
            epoch=self.batch.epoch,
            rows=begun.rows,
            chunks=begun.acknowledged,
            digest=begun.chain,
            offsets=begun.offsets,
        )
        self.ledger.write(self.batch.epoch, with_mark(self._state, mark))

    def _keep(self, begun: Begun) -> None:
        self.begun = begun
        self.ledger.write(self.batch.epoch, with_begun(self._state, begun))
