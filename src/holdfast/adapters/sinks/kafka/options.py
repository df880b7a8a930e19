"""The options of a Kafka sink, checked at the door."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, get_args

from holdfast.adapters.sinks.kafka.settings import client_settings
from holdfast.adapters.sinks.option_values import (
    column_names,
    refuse_unknown,
    require_text,
    true_or_false,
    wrong,
)
from holdfast.core.secret_text import as_shown
from holdfast.errors import UsageError

Value = Literal["json"]

_KIND = "kafka"
_TEXTS = ("topic", "value", "ledger", "topic_id")

LEDGER_SUFFIX = "-holdfast"
"""The ledger of topic `orders` is topic `orders-holdfast`, unless told."""

TOPIC_CHARACTERS_MAX = 249
"""Kafka's own bound (Topic.MAX_NAME_LENGTH)."""

TRANSACTION_SECONDS = 600
"""How long one batch may take from its first row to its commit, unless told. Brokers allow 900
(transaction.max.timeout.ms); until then readers wait behind a writer that died and stays away."""

WAIT_SECONDS = 60
"""How long a broker that does not answer is waited for, unless told."""

SECONDS_MAX = 86_400
"""A day: longer than any batch, and small enough for Kafka's milliseconds."""

PARTITIONS_MAX = 100_000
"""More than any cluster has; a topic is not made by a slip of the finger."""

_TOPIC = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaSinkOptions:
    """Where and how a Kafka sink writes. Raises UsageError where that cannot be right."""

    servers: str
    """Brokers to begin with: 'host:9092,host2:9092'."""
    topic: str | None = None
    """All rows go there; without it each row names its own in a column `topic`."""
    key: tuple[str, ...] = ()
    """Columns that become the key, as JSON; only with value."""
    value: Value | None = None
    """'json': the columns that are not named by key become the value, as JSON."""
    create: bool = False
    """Create topic and ledger where they do not exist."""
    partitions: int | None = None
    """Of the topic, for create; the broker's default unless told."""
    replication: int | None = None
    """Of topic and ledger, for create; the broker's default unless told."""
    ledger: str | None = None
    """The compacted topic that remembers batches; the topic's name with `-holdfast` unless told."""
    first_batch: int | None = None
    """With which batch a query begins that had another sink before; 0 unless told."""
    topic_id: str | None = None
    """The id of a topic that was deleted and made again, where that was meant."""
    transaction_seconds: int = TRANSACTION_SECONDS
    wait_seconds: int = WAIT_SECONDS
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Settings of the client, by librdkafka's names; they may hold secrets."""

    def __post_init__(self) -> None:
        """Check what can be checked without a broker."""
        if not self.servers.strip():
            raise _wrong("servers cannot be empty", "write servers: host:9092")
        if self.topic is None and self.ledger is None:
            raise _wrong(
                "without a topic the ledger has no name", "add topic: …, or ledger: … as well"
            )
        for what, name in (("topic", self.topic), ("ledger", self.ledger_topic)):
            if name is not None:
                _check_topic(what, name)
        if self.topic == self.ledger_topic:
            raise _wrong("the ledger is the topic itself", "use another topic for the ledger")
        if self.value is not None and self.value not in get_args(Value):
            raise _wrong(f"value cannot be {self.value!r}", "write value: json, or leave it out")
        if self.value is not None and self.topic is None:
            raise _wrong("value: json needs a topic", "add topic: …")
        if self.key and self.value is None:
            raise _wrong("key needs value: json", "add value: json, or rows with a column `key`")
        if len(set(self.key)) != len(self.key):
            raise _wrong("key names a column twice", "name each key column once")
        if not self.create and (self.partitions, self.replication) != (None, None):
            raise _wrong("partitions and replication are for creating topics", "add create: true")

    @classmethod
    def parse(cls, options: Mapping[str, Any]) -> Self:
        """From the options of a declaration; raises UsageError that names the option."""
        refuse_unknown(_KIND, options, [each.name for each in fields(cls)])
        values = {name: value for name, value in options.items() if value is not None}
        if "servers" not in values:
            raise _wrong("option 'servers' is missing", "add servers: host:9092")
        values["servers"] = _servers(values["servers"])
        require_text(_KIND, values, _TEXTS)
        # Names are no secrets, wherever they come from: they are shown, and handed to C.
        values |= {name: str(values[name]) for name in _TEXTS if name in values}
        if "key" in values:
            values["key"] = column_names(_KIND, "key", values["key"])
        if "create" in values:
            values["create"] = true_or_false(_KIND, "create", values["create"])
        for name, least, most in (
            ("partitions", 1, PARTITIONS_MAX),
            ("replication", 1, 2**15 - 1),
            ("first_batch", 0, 2**63 - 2),
            ("transaction_seconds", 1, SECONDS_MAX),
            ("wait_seconds", 1, SECONDS_MAX),
        ):
            if name in values:
                values[name] = _whole(name, values[name], least, most)
        values["options"] = client_settings(values.get("options", {}))
        return cls(**values)

    @property
    def ledger_topic(self) -> str:
        """The topic that remembers batches."""
        return f"{self.topic}{LEDGER_SUFFIX}" if self.ledger is None else self.ledger

    @property
    def name(self) -> str:
        """What the ledger knows the sink by."""
        return self.ledger_topic if self.topic is None else self.topic

    @property
    def location(self) -> str:
        """Where it is, for people."""
        return f"{as_shown(self.servers)}/{self.name}"


def _check_topic(what: str, name: str) -> None:
    fits = _TOPIC.fullmatch(name) and len(name) <= TOPIC_CHARACTERS_MAX and name not in (".", "..")
    if not fits:
        raise _wrong(
            f"{what} cannot be {name[:TOPIC_CHARACTERS_MAX]!r}",
            f"use letters, digits, '.', '_' and '-', up to {TOPIC_CHARACTERS_MAX}",
        )


def _servers(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and value and all(isinstance(each, str) for each in value):
        return ",".join(value)
    raise _wrong("servers must be text, or a list of it", "write servers: host:9092")


def _whole(name: str, value: Any, least: int, most: int) -> int:
    try:
        number = int(str(value)) if not isinstance(value, bool) else least - 1
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise _wrong(f"{name} cannot be {value!r}", f"use a whole number from {least} to {most}")
    return number


def _wrong(message: str, next_action: str) -> UsageError:
    return wrong(_KIND, message, next_action)
