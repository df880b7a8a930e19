"""A Kafka topic as a sink that holds every batch exactly once, for readers of committed records.

Rows and the mark of their batch are one Kafka transaction, so readers see both or neither, and a
batch that Spark replays is skipped exactly when its rows are there. The transactional id is fixed
for each query and sink, so a start ends what an earlier one has left open. Its epoch is part of the
mark, so a lower one is refused also when it comes later.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, Self

from holdfast.adapters.clock import now_ms
from holdfast.adapters.sinks.batch_check import check_batch, check_offsets
from holdfast.adapters.sinks.kafka.client import KafkaClient, deadline, is_over
from holdfast.adapters.sinks.kafka.ledger import KafkaLedger
from holdfast.adapters.sinks.kafka.mark import (
    KafkaMark,
    check_replay,
    fence_key,
    kept_offsets,
    mark_key,
    range_digest,
)
from holdfast.adapters.sinks.kafka.options import LEDGER_SUFFIX, KafkaSinkOptions
from holdfast.adapters.sinks.kafka.records import records_of
from holdfast.adapters.sinks.kafka.session import KafkaSession, ProducerFencedError
from holdfast.adapters.sinks.kafka.topics import KafkaTopics
from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import TrialTarget
from holdfast.errors import HoldfastError, RefusedError, UnreachableError, UsageError

Step = Literal["begin", "rows", "mark", "commit", "committed"]
Steps = Callable[[Step], None]
"""Told of each step of a write as it is reached: the transaction has begun, the rows are delivered,
the mark is sent, the commit comes next, the commit is done. What it raises ends the write there."""

OPEN_TRIES = 5
"""How often `open` begins again because another producer of the same name came in between."""

OVERTAKEN_S = 5.0
"""How long a writer that was fenced waits for the mark of who did it. A start writes it right after
it has fenced us, so this is for slow brokers; without it the next start finds out."""

_PAUSE_S = 0.1


def no_steps(_step: Step) -> None:
    """The ordinary Steps: nobody listens."""


class KafkaSink:
    """Implements core.running.ports.BatchSink. Holds a producer for each query."""

    def __init__(
        self,
        options: KafkaSinkOptions,
        *,
        steps: Steps = no_steps,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        """Opens nothing yet."""
        self.name = options.name
        """What the ledger knows it by; Batch.sink must be it."""
        self._options = options
        self._client = KafkaClient(options)
        self._topics = KafkaTopics(self._client, options)
        self._ledger = KafkaLedger(self._client, options)
        self._steps = steps
        self._clock = clock
        self._topic_id = ""
        self._opened: set[str] = set()
        self._sessions: dict[str, KafkaSession] = {}

    @classmethod
    def from_options(cls, options: Mapping[str, Any], *, steps: Steps = no_steps) -> Self:
        """From the options of a declaration; raises UsageError that names the wrong one."""
        return cls(KafkaSinkOptions.parse(options), steps=steps)

    def listen(self, steps: Steps) -> None:
        """Tell someone else of the steps."""
        self._steps = steps

    @property
    def location(self) -> str:
        """Brokers and topic."""
        return self._options.location

    def open(self, query_id: str, epoch: int) -> None:
        """Make topics ready, end what an earlier writer left open, and raise the fence.

        When it returns no write of a lower epoch can succeed any more. Raises FencedError where a
        higher epoch was here, UsageError where a topic is missing, RefusedError where the topic
        is not the one that the last batch went to.
        """
        self._topic_id = self._topics.prepare()
        self._drop(query_id)
        self._opened.add(query_id)
        self._session(query_id, epoch)

    def last_batch(self, query_id: str) -> int | None:
        """The newest batch of this query that the sink holds; None also before any open."""
        if self._topics.find(self._options.ledger_topic) is None:
            return None
        mark = self._ledger.last(query_id)
        return None if mark is None else mark.batch_id

    def write(self, batch: Batch) -> bool:
        """Write rows and mark in one transaction; False where the ledger holds the batch already.

        Rows are asked for once at most, and not at all where the answer is False: a caller whose
        query is stateful must then run the plan itself.

        Raises FencedError where a higher epoch has been seen; RefusedError where the rows do not
        fit, where the ledger holds this batch id with other offsets, or where it may have
        forgotten the query; UnreachableError where the brokers do not answer, or another producer
        came in between. After any error the transaction is aborted or ended by the next start, and
        the same call may be made again: the ledger knows.
        """
        self._check(batch)
        session = self._session(batch.query_id, batch.epoch)
        mark = session.mark
        assert mark is not None
        if mark.holds(batch.batch_id):
            self._check_held(mark, batch)
            return False
        self._check_first(mark, batch)
        records = records_of(batch, self._options)
        attempt, began = uuid.uuid4().hex, time.monotonic()
        done = mark
        sent = False
        try:
            session.begin()
            self._steps("begin")
            digest = session.send(records)
            self._steps("rows")
            done = self._mark_of(batch, attempt, digest.rows, digest.hex())
            text = done.to_text(kept_offsets(batch.offsets))
            session.note(done, mark_key(done), text, self._options.ledger_topic)
            self._steps("mark")
            self._steps("commit")
            sent = True
            session.commit(done)
        except ProducerFencedError:
            self._drop(batch.query_id)
            return self._overtaken(batch, attempt, began)
        except HoldfastError as error:
            if not sent:
                self._abort(batch.query_id)
                raise
            self._drop(batch.query_id)
            return self._settled(batch, attempt, error)
        except BaseException:
            self._abort(batch.query_id)
            raise
        self._steps("committed")
        return True

    def trial(self, folder: str, run: str) -> TrialTarget:
        """A topic of its own for a trial of an audit, with as many partitions as the declared one.

        Where rows name their topics, all go to this one.
        """
        if any(name.startswith(("security.", "sasl.", "ssl.")) for name in self._options.options):
            raise UsageError(
                "kafka sink: the reader of an audit cannot log in to a broker",
                subject=self.location,
                next_action="name a function of yours that reads the topic: --read MODULE:FUNCTION",
            )
        topic = self._trial_topic(run)
        found = None if self._options.topic is None else self._topics.find(self._options.topic)
        partitions = found.partitions if found else self._options.partitions or 1
        self._topics.make(topic, partitions)
        return TrialTarget(
            options={
                "topic": topic,
                "ledger": f"{topic}{LEDGER_SUFFIX}",
                "create": True,
                "partitions": partitions,
                "first_batch": None,
                "topic_id": None,
            },
            root=None,
            read=f"kafka:{self._options.servers}/{topic}",
            servers={"servers": "kafka"},
        )

    def end_trial(self, run: str) -> None:
        """Remove the topic and the ledger of a trial."""
        topic = self._trial_topic(run)
        self._topics.remove(topic, f"{topic}{LEDGER_SUFFIX}")

    def _trial_topic(self, run: str) -> str:
        return f"{self.name}-{run}"

    def _session(self, query_id: str, epoch: int) -> KafkaSession:
        """The session of a query, a new one where the last has met an error."""
        found = self._sessions.get(query_id)
        if found is not None and found.mark is not None:
            found.mark.check_fence(epoch)
            return found
        for _ in range(OPEN_TRIES):
            self._glance(query_id, epoch)
            try:
                self._sessions[query_id] = self._started(query_id, epoch)
                return self._sessions[query_id]
            except ProducerFencedError:
                time.sleep(_PAUSE_S)
        raise UnreachableError(
            f"another producer of sink {self.name!r} is started again and again",
            subject=query_id,
            next_action="find the other driver of this query, and stop it",
        )

    def _glance(self, query_id: str, epoch: int) -> KafkaMark | None:
        """Look before fencing: a lower epoch that comes late does not disturb a higher one."""
        mark = self._ledger.glance(query_id)
        if mark is not None:
            mark.check_fence(epoch)
        return mark

    def _started(self, query_id: str, epoch: int) -> KafkaSession:
        """Fence every earlier producer, read the mark, and write it again with this epoch."""
        session = KafkaSession.start(self._client, self._ledger, query_id, self.name)
        try:
            found = session.mark
            if found is None:
                found = KafkaMark(query_id=query_id, sink=self.name, epoch=epoch)
            found.check_fence(epoch)
            self._check_topic(found)
            raised = replace(found, epoch=epoch)
            session.begin()
            session.note(raised, fence_key(raised), raised.to_text(), self._options.ledger_topic)
            session.commit(raised)
        except BaseException:
            session.abort()
            raise
        return session

    def _overtaken(self, batch: Batch, attempt: str, began: float) -> bool:
        """Who was fenced asks who did it: the mark of a higher epoch is final."""
        took = time.monotonic() - began
        until = deadline(0.0 if took >= self._options.transaction_seconds else OVERTAKEN_S)
        while True:
            mark = self._ledger.glance(batch.query_id)
            if mark is not None and mark.attempt == attempt:
                return True  # it had committed, and its answer was lost
            if mark is not None:
                mark.check_fence(batch.epoch)
            if is_over(until):
                break
            time.sleep(_PAUSE_S)
        if took >= self._options.transaction_seconds:
            said = f"batch {batch.batch_id} took {took:.0f} s, and its transaction was given up"
            next_action = "raise transaction_seconds of the sink, or make batches smaller"
        else:
            said = "another producer of the same query and sink was started meanwhile"
            next_action = "find the other driver of this query, and stop it"
        return self._settled(
            batch,
            attempt,
            UnreachableError(f"Kafka: {said}", subject=batch.query_id, next_action=next_action),
        )

    def _settled(self, batch: Batch, attempt: str, error: HoldfastError) -> bool:
        """What became of a commit without an answer: a new session ends it, and the mark tells."""
        seen = self._ledger.glance(batch.query_id)
        if seen is not None and seen.attempt == attempt:
            return True  # committed, and perhaps overtaken since: the next write will be told
        mark = self._session(batch.query_id, batch.epoch).mark
        assert mark is not None
        if mark.attempt == attempt:
            return True
        if mark.holds(batch.batch_id):
            return False
        raise error

    def _mark_of(self, batch: Batch, attempt: str, rows: int, digest: str) -> KafkaMark:
        return KafkaMark(
            query_id=batch.query_id,
            sink=self.name,
            epoch=batch.epoch,
            batch_id=batch.batch_id,
            written_by=batch.epoch,
            attempt=attempt,
            rows=rows,
            digest=digest,
            range_digest=range_digest(batch.offsets),
            topic_id=self._topic_id,
            written_at_ms=self._clock(),
        )

    def _check_held(self, mark: KafkaMark, batch: Batch) -> None:
        """Before a batch is skipped: this is still its writer, and it is the same batch."""
        self._glance(batch.query_id, batch.epoch)
        held = mark
        if mark.batch_id != batch.batch_id:
            held = self._ledger.record(batch.query_id, batch.batch_id) or mark
        check_replay(held, batch.batch_id, batch.offsets)

    def _check_first(self, mark: KafkaMark, batch: Batch) -> None:
        """A query that is not known begins with batch 0; any other may have been forgotten."""
        if mark.batch_id is None and batch.batch_id not in (0, self._options.first_batch):
            raise RefusedError(
                f"the ledger of sink {self.name!r} knows no batch of this query, and it comes with "
                f"batch {batch.batch_id}: either the sink is new for it, or the ledger was lost",
                subject=batch.query_id,
                next_action="where the sink is new for this checkpoint, write "
                f"first_batch: {batch.batch_id}; else compare topic and checkpoint first",
            )

    def _check_topic(self, mark: KafkaMark) -> None:
        """The topic must be the one that the last batch went to."""
        then, now = mark.topic_id, self._topic_id
        if then and now and then != now and self._options.topic_id != now:
            raise RefusedError(
                f"topic {self.name!r} was deleted and made again since batch {mark.batch_id}: "
                "what was written before is gone",
                subject=mark.query_id,
                next_action=f"begin a new checkpoint, or go on with topic_id: {now}",
            )

    def _check(self, batch: Batch) -> None:
        """Mistakes of the caller, found before the brokers are asked."""
        check_batch(batch, self.name, self._opened)
        check_offsets(batch)

    def _abort(self, query_id: str) -> None:
        session = self._sessions.pop(query_id, None)
        if session is not None:
            session.abort()

    def _drop(self, query_id: str) -> None:
        session = self._sessions.pop(query_id, None)
        if session is not None:
            session.close()


def open_sink(options: Mapping[str, Any]) -> KafkaSink:
    """The entry point `kafka` of the group `holdfast.sinks`."""
    return KafkaSink.from_options(options)
