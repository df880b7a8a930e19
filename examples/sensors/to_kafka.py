"""Send lines to a Kafka topic; needs pip install 'holdfast[kafka]'."""

from confluent_kafka import KafkaError, KafkaException, Message, Producer

FLUSH_SECONDS = 60


class Sender:
    """Sends lines, each once and in order as far as one run of a producer can promise it."""

    def __init__(self, servers: str, topic: str) -> None:
        """Connects when the first line is sent."""
        self._topic = topic
        self._failures: list[KafkaError] = []
        self._producer = Producer(
            {"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 5}
        )

    def send(self, lines: list[bytes]) -> None:
        """Send some lines, and wait until the broker has all of them."""
        for line in lines:
            self._producer.produce(self._topic, value=line, on_delivery=self._delivered)
            self._producer.poll(0)
        waiting = self._producer.flush(FLUSH_SECONDS)
        if self._failures:
            raise KafkaException(self._failures[0])
        if waiting:
            raise TimeoutError(f"{waiting} lines did not reach the broker")

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            self._failures.append(error)
