"""Where a Kafka source is: brokers, topics and the settings of the client, from a declaration."""

import re
from dataclasses import dataclass, field

from holdfast.adapters.sinks.kafka.settings import OURS, client_settings
from holdfast.core.job import SourceSpec
from holdfast.core.secret_text import as_shown
from holdfast.errors import UsageError

WAIT_S = 4
"""How long a broker that does not answer is waited for: somebody is looking at the screen."""

_PREFIX = "kafka."
SERVERS = "kafka.bootstrap.servers"
"""The option of Spark's Kafka source that names its brokers."""

_TAKEN = ("security.", "sasl.", "ssl.", "enable.ssl.", "socket.", "broker.address.")
"""What both clients understand and what a connection needs. The rest of the options of a source is
about reading, by names of the Java client, and would be refused by this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaPlace:
    """A Kafka source, ready to be asked."""

    servers: str
    topics: tuple[str, ...] = ()
    """Those that the source names; empty where it goes by a pattern."""
    topics_shown: str = ""
    """As the declaration has them."""
    settings: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def shown(self) -> str:
        """Without credentials: brokers and topics."""
        topics = f"/{self.topics_shown}" if self.topics_shown else ""
        return f"{as_shown(self.servers)}{topics}"


def place_of_spec(spec: SourceSpec) -> KafkaPlace:
    """From a declaration; raises UsageError where brokers or settings cannot be right."""
    options = spec.options
    servers = options.get(SERVERS)
    if not servers:
        raise UsageError(f"the source has no option {SERVERS}")
    taken = {
        name.removeprefix(_PREFIX): value
        for name, value in options.items()
        if name.startswith(_PREFIX) and name.removeprefix(_PREFIX).startswith(_TAKEN)
    }
    given = {name: value for name, value in taken.items() if name not in OURS}
    named = options.get("subscribe", "")
    # Names of topics are no secrets, wherever they come from; the checkpoint holds them too.
    topics = tuple(sorted({str(each).strip() for each in named.split(",") if each.strip()}))
    return KafkaPlace(
        servers=servers,
        topics=topics,
        topics_shown=as_shown(named),
        settings=client_settings(given),
    )


def place_of_text(text: str) -> KafkaPlace:
    """From 'HOST:PORT,HOST:PORT/TOPIC', as `--source kafka:…` has it; the topic may be left out."""
    match = re.fullmatch(r"(?P<servers>[^/\s@]+:\d+)(?:/(?P<topics>[\w.,-]+))?", text)
    if match is None:
        raise UsageError(
            "this names no broker", subject="--source", next_action="write kafka:HOST:PORT/TOPIC"
        )
    named = match["topics"] or ""
    topics = tuple(sorted(filter(None, named.split(","))))
    return KafkaPlace(servers=match["servers"], topics=topics, topics_shown=named)
