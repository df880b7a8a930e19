"""A producer that owns the transactional id of one query and sink, and knows the last mark.

Who initialises a producer of the id (`init_transactions`) ends the transactions of every earlier
one, for ever. So from `start` on, as long as a transaction of this session commits, nobody else has
written in between, and the mark that was read after initialising is still the last one: reading it
and writing the next are one atomic act, although they are two requests.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from holdfast.adapters.sinks.kafka.client import FENCED, KafkaClient, code_of, deadline, is_over
from holdfast.adapters.sinks.kafka.ledger import KafkaLedger
from holdfast.adapters.sinks.kafka.mark import KafkaMark, client_name
from holdfast.adapters.sinks.kafka.records import Headers, Record, RecordDigest

_LEDGER_PARTITION = 0
_SERVE_EVERY = 1_000
"""Rows between two looks at what was delivered."""
_FULL_POLL_S = 0.05
_GRACE_S = 10.0
"""How much longer than it was told a call of librdkafka may take before it is given up."""
_ABORT_S = 10.0
"""An abort that takes longer is left to the next start, which aborts as well."""


class ProducerFencedError(Exception):
    """Another producer of the same transactional id was initialised, or the broker gave it up."""


class KafkaSession:
    """One producer, from its initialisation to its first error; then there is a new one."""

    def __init__(self, client: KafkaClient, ledger: KafkaLedger, query_id: str, sink: str) -> None:
        """Nothing is opened yet."""
        name = client_name(query_id, sink)
        self._client = client
        self._ledger = ledger
        self._failures: list[KafkaError] = []
        self._producer: Producer = client.producer(name, self._failures)
        self._consumer: Consumer = client.consumer(name)
        self._query_id = query_id
        self.mark: KafkaMark | None = None
        """The last one; the truth until a call raises ProducerFencedError."""

    @classmethod
    def start(cls, client: KafkaClient, ledger: KafkaLedger, query_id: str, sink: str) -> Self:
        """Fence every earlier producer and read the mark, in this order.

        Raises HoldfastError where the brokers do not let us, ProducerFencedError where another one
        comes in between.
        """
        session = cls(client, ledger, query_id, sink)
        try:
            session._initialise()
            session.mark = ledger.standing(query_id, session._consumer)
        except BaseException:
            session.close()
            raise
        return session

    def begin(self) -> None:
        """Begin a transaction."""
        with self._sending("beginning a transaction"):
            self._producer.begin_transaction()

    def send(self, records: Iterable[Record]) -> RecordDigest:
        """Send records as they come, with bounded memory, until all are delivered."""
        digest = RecordDigest()
        add, produce = digest.add, self._producer.produce
        with self._sending("sending rows"):
            for topic, key, value, headers, partition in records:
                add(key, value, headers)
                try:
                    produce(topic, value, key, partition, headers=headers)
                except BufferError:
                    self._produce_when_free(topic, value, key, partition, headers)
                if digest.rows % _SERVE_EVERY == 0:
                    self._serve(0)
            self._flush()
        return digest

    def note(self, mark: KafkaMark, key: bytes, text: str, topic: str) -> None:
        """Put a mark into the transaction, in both memories."""
        with self._sending("writing the mark"):
            self._producer.produce(topic, text.encode("utf-8"), key, _LEDGER_PARTITION)
            place: TopicPartition = self._ledger.place(mark.offset, mark.to_text())
            metadata = self._consumer.consumer_group_metadata()
            self._again(
                lambda wait_s: self._producer.send_offsets_to_transaction([place], metadata, wait_s)
            )

    def commit(self, mark: KafkaMark) -> None:
        """Commit; what the session then knows as the last mark is this one.

        After an error it is not known whether the transaction committed: only a new session tells.
        """
        with self._sending("committing"):
            self._again(self._producer.commit_transaction)
        self.mark = mark

    def abort(self) -> None:
        """Take back what was sent, as far as the brokers can be reached; the session is over.

        What cannot be taken back now is taken back by the next session, or by the broker when the
        transaction's time is over.
        """
        try:
            self._producer.purge()
            _within(_ABORT_S, self._producer.abort_transaction)
        except (KafkaException, RuntimeError):
            pass
        self.close()

    def close(self) -> None:
        """Give the clients back."""
        self._producer.purge()
        self._consumer.close()

    def _initialise(self) -> None:
        with self._sending("initialising transactions"):
            self._again(self._producer.init_transactions)

    def _again(self, call: Callable[[float], object]) -> None:
        """Call until it is done; librdkafka goes on where it was when a call is repeated."""
        until = deadline(self._client.wait_s)
        while True:
            try:
                _within(max(until - time.monotonic(), 1.0), call)
                return
            except KafkaException as error:
                if not error.args[0].retriable() or is_over(until):
                    raise

    def _produce_when_free(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None,
        partition: int,
        headers: Headers | None,
    ) -> None:
        until = deadline(self._client.wait_s)
        while True:
            if self._serve(_FULL_POLL_S):
                until = deadline(self._client.wait_s)
            try:
                self._producer.produce(topic, value, key, partition, headers=headers)
                return
            except BufferError:
                if is_over(until):
                    raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None

    def _flush(self) -> None:
        # Every row is delivered or given up within wait_s of its own, so the queue shrinks.
        left, until = len(self._producer), deadline(2 * self._client.wait_s)
        while left:
            now = self._producer.flush(1.0)
            self._raise_failure()
            if now < left:
                until = deadline(2 * self._client.wait_s)
            if is_over(until):
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
            left = now

    def _serve(self, wait_s: float) -> int:
        served = self._producer.poll(wait_s)
        self._raise_failure()
        return served

    def _raise_failure(self) -> None:
        if self._failures:
            raise KafkaException(self._failures[0])

    @contextmanager
    def _sending(self, what: str) -> Iterator[None]:
        try:
            yield
        except (KafkaException, SystemError) as caught:
            # confluent-kafka raises fatal errors out of a call whose callbacks go on meanwhile;
            # Python then says SystemError, from what was raised.
            error = caught if isinstance(caught, KafkaException) else caught.__cause__
            if not isinstance(error, KafkaException):
                raise
            # The first failure says why; those after it only that the transaction is lost.
            told = self._failures[0] if self._failures else error.args[0]
            if told.code() in FENCED or code_of(error) in FENCED:
                raise ProducerFencedError(told.str()) from None
            raise self._client.error(told, what) from None


def _within(seconds: float, call: Callable[[float], object]) -> None:
    """Call with a time limit that holds.

    A call of librdkafka was seen to outlast its own limit by minutes after a restart of the broker;
    the cause is not known. The call is then left behind: the next producer fences the one that it
    belongs to.
    """
    raised: list[BaseException] = []

    def work() -> None:
        try:
            call(seconds)
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            raised.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds + _GRACE_S)
    if raised:
        raise raised[0]
    if worker.is_alive():
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
