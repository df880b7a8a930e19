"""Clients of a Kafka cluster for the sink, and what their errors mean."""

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient

from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.errors import HoldfastError, RefusedError, UnreachableError, UsageError

T = TypeVar("T")

QUEUE_KBYTES = 64 * 1024
"""Rows that wait to be sent are held in memory: at most so many."""

QUEUE_RECORDS = 100_000
LINGER_MS = 20
"""How long a request waits for more rows. The end of a batch waits for nothing."""

_QUIET = logging.getLogger("holdfast.kafka")
_QUIET.addHandler(logging.NullHandler())
_QUIET.propagate = False

FENCED = (
    KafkaError._FENCED,
    KafkaError.PRODUCER_FENCED,
    KafkaError.INVALID_PRODUCER_EPOCH,
    KafkaError.INVALID_PRODUCER_ID_MAPPING,
    KafkaError._FATAL,  # all that `produce` says once the producer was fenced
)
_ABSENT = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)
_FORBIDDEN = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError._AUTHENTICATION,
    KafkaError._SSL,
)
_PASSING = (
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._WAIT_COORD,
    KafkaError._TRANSPORT,
)
"""Answers of a cluster in which something has just been made, moved or started."""
_PAUSE_S = 0.1
_TOO_LARGE = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE)
_NEXT = {
    KafkaError.INVALID_TRANSACTION_TIMEOUT: (
        "lower transaction_seconds of the sink, or raise transaction.max.timeout.ms of the broker"
    ),
    KafkaError.OFFSET_METADATA_TOO_LARGE: "set offset.metadata.max.bytes of the broker to 4096",
    KafkaError.POLICY_VIOLATION: "ask whoever runs the cluster what its policy allows",
    KafkaError.INVALID_RECORD: "a compacted topic takes no record without a key: add a key",
    KafkaError._UNKNOWN_PARTITION: "use a partition that the topic has",
}
"""Answers that come again however often one asks, and what to do about them."""


class KafkaClient:
    """Makes clients with the settings of a sink, and tells what went wrong with them."""

    def __init__(self, options: KafkaSinkOptions) -> None:
        """Nothing is opened yet."""
        self._options = options
        self._heard: KafkaError | None = None
        self.wait_s = float(options.wait_seconds)

    def producer(self, transactional_id: str, failures: list[KafkaError]) -> Producer:
        """A producer that is not initialised; what it cannot get over goes to failures."""

        def delivered(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                failures.append(error)

        def heard(error: KafkaError) -> None:
            self._hear(error)
            if error.fatal():
                failures.append(error)

        made: Producer = self._made(
            Producer,
            {
                "partitioner": "murmur2_random",  # as the Java client: by key, else any
                "linger.ms": LINGER_MS,
                "queue.buffering.max.kbytes": QUEUE_KBYTES,
                "queue.buffering.max.messages": QUEUE_RECORDS,
            },
            {
                "transactional.id": transactional_id,
                "transaction.timeout.ms": self._options.transaction_seconds * 1000,
                "message.timeout.ms": self._within_the_transaction_ms(),
                "delivery.report.only.error": True,
                "on_delivery": delivered,
                "error_cb": heard,
            },
        )
        return made

    def consumer(self, group: str, *, committed_only: bool = True) -> Consumer:
        """A consumer that joins nothing.

        Asked for offsets of the group it waits for transactions that are still open, or not;
        librdkafka takes the isolation level for that too (KIP-447).
        """
        made: Consumer = self._made(
            Consumer,
            {},
            {
                "group.id": group,
                "isolation.level": "read_committed" if committed_only else "read_uncommitted",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "allow.auto.create.topics": False,
                "fetch.wait.max.ms": 20,
            },
        )
        return made

    def admin(self) -> AdminClient:
        """For topics."""
        made: AdminClient = self._made(AdminClient, {}, {})
        return made

    @contextmanager
    def asking(self, what: str) -> Iterator[None]:
        """Turn errors of Kafka into ours; `what` says what was being done."""
        try:
            yield
        except KafkaException as error:
            raise self.error(error.args[0], what) from None

    def patiently(self, what: str, call: Callable[[float], T], wait_s: float | None = None) -> T:
        """Ask until there is an answer, as long as what comes in place of one can pass."""
        within = self.wait_s if wait_s is None else wait_s
        until = deadline(within)
        while True:
            with self.asking(what):
                try:
                    return call(max(until - time.monotonic(), 1.0))
                except KafkaException as error:
                    told = error.args[0]
                    passes = told.code() in _PASSING or told.retriable()
                    if not passes or is_over(until):
                        raise
            time.sleep(_PAUSE_S)

    def error(self, error: KafkaError, what: str) -> HoldfastError:
        """The error that says what Kafka's means."""
        heard = self._heard
        if heard is not None and heard.code() in _FORBIDDEN:
            error = heard  # of a connection: what was asked only timed out
        code, said, subject = error.code(), error.str(), self._options.location
        if code in _FORBIDDEN:
            next_action = "check the user, the security options of the sink and the rights"
        elif code in _TOO_LARGE:
            next_action = "raise max.message.bytes of the topic and message.max.bytes in options"
        elif code in _NEXT:
            next_action = _NEXT[code]
        elif code in _ABSENT:
            next_action = "create the topic, or add create: true to the sink"
        else:
            more = "" if heard is None else f" ({heard.str()})"
            return UnreachableError(
                f"Kafka: {what} failed: {said}{more}",
                subject=subject,
                next_action="check that the brokers answer",
            )
        return RefusedError(
            f"Kafka: {what} was refused: {said}", subject=subject, next_action=next_action
        )

    def _within_the_transaction_ms(self) -> int:
        """Rows must be given up before their transaction is: librdkafka insists."""
        return 1000 * min(self._options.wait_seconds, self._options.transaction_seconds)

    def _made(self, kind: Any, ours: dict[str, Any], fixed: dict[str, Any]) -> Any:
        self._heard = None  # what an earlier client met may be over
        settings = {
            "error_cb": self._hear,
            **ours,
            **{name: str(value) for name, value in self._options.options.items()},
            **fixed,
            "bootstrap.servers": str(self._options.servers),
            "log_level": 0,
            "logger": _QUIET,
        }
        try:
            return kind(settings)
        except (KafkaException, ValueError, TypeError) as error:
            # Only the name: the message of librdkafka repeats the value, which may be a secret.
            named = re.search(r'property: "?([\w.]+)|property "([\w.]+)"', str(error))
            name = next((each for each in named.groups() if each), None) if named else None
            what = f"option {name!r} cannot be right" if name else "its options cannot be right"
            raise UsageError(
                f"kafka sink: {what}",
                subject="sink",
                next_action="check options: the names and values are those of librdkafka",
            ) from None

    def _hear(self, error: KafkaError) -> None:
        self._heard = error


def code_of(error: KafkaException) -> int:
    """The number of an error."""
    return int(error.args[0].code())


def deadline(seconds: float) -> float:
    """The moment after so many seconds."""
    return time.monotonic() + seconds


def is_over(moment: float) -> bool:
    """Whether a moment has come."""
    return time.monotonic() >= moment
