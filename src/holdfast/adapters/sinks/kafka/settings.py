"""Settings of a Kafka client as a declaration gives them: by librdkafka's names, or by Kafka's own.

The names of Kafka's Java client that differ are understood where the same can be said: a prefix
`kafka.`, as Spark spells it, and `sasl.jaas.config` with a user and a password. What the protocol
of the sink depends on cannot be set.
"""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.adapters.sinks.option_values import wrong
from holdfast.core.secret_text import derived
from holdfast.errors import UsageError

_KIND = "kafka"
_PREFIX = "kafka."
_JAAS = "sasl.jaas.config"
_JAAS_VALUE = re.compile(r"""\b(username|password)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")

OURS = {
    "bootstrap.servers": "use servers",
    "metadata.broker.list": "use servers",
    "transactional.id": "it is the name of query and sink, and fences other writers",
    "transaction.timeout.ms": "use transaction_seconds",
    "message.timeout.ms": "use wait_seconds",
    "delivery.timeout.ms": "use wait_seconds",
    "enable.idempotence": "a transaction needs it",
    "enable.gapless.guarantee": "a transaction decides",
    "acks": "a transaction needs all",
    "request.required.acks": "a transaction needs all",
    "max.in.flight": "a transaction needs at most 5",
    "max.in.flight.requests.per.connection": "a transaction needs at most 5",
    "retries": "use wait_seconds",
    "message.send.max.retries": "use wait_seconds",
    "delivery.report.only.error": "every failure must be heard of",
    "isolation.level": "the ledger is read as committed",
    "group.id": "it is the name of query and sink",
    "group.instance.id": "no group is joined",
    "enable.auto.commit": "the mark of a batch is committed by its transaction",
    "auto.commit.enable": "the mark of a batch is committed by its transaction",
    "allow.auto.create.topics": "use create",
    "key.serializer": "keys are bytes or text",
    "value.serializer": "values are bytes or text",
    "partitioner.class": "use partitioner",
}
"""What cannot be set, and why or what to use."""

_JAVA_ONLY = {
    "ssl.truststore.location": "ssl.ca.location with a PEM file",
    "ssl.truststore.password": "ssl.ca.location with a PEM file",
    "ssl.truststore.type": "ssl.ca.location with a PEM file",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.type": "ssl.keystore.location with a PKCS#12 file",
    "sasl.login.callback.handler.class": "sasl.oauthbearer.method",
    "sasl.client.callback.handler.class": "sasl.oauthbearer.method",
}
"""Names that librdkafka does not have, and what says the same."""


def client_settings(given: Any) -> dict[str, str]:
    """Settings by librdkafka's names; raises UsageError that names the wrong one, never a value."""
    if not isinstance(given, Mapping):
        raise _wrong("options must be names with values", "write options: {security.protocol: ssl}")
    settings: dict[str, str] = {}
    for spelled, value in given.items():
        name = str(spelled).removeprefix(_PREFIX)
        if name in OURS:
            raise _wrong(f"option {name!r} cannot be set", OURS[name])
        if name in _JAVA_ONLY:
            raise _wrong(f"option {name!r} is of the Java client", f"use {_JAVA_ONLY[name]}")
        if isinstance(value, Mapping | list) or value is None:
            raise _wrong(f"option {name!r} must be text or a number", "write it in quotes")
        if name == _JAAS:
            settings.update(_from_jaas(str(value), value))
        elif isinstance(value, bool):
            settings[name] = str(value).lower()
        else:
            settings[name] = value if isinstance(value, str) else str(value)
    return settings


def _from_jaas(text: str, original: Any) -> dict[str, str]:
    """User and password of the login modules for PLAIN and SCRAM."""
    found = {
        name: derived(re.sub(r"\\(.)", r"\1", quoted[1:-1]), original, f"{name} of {_JAAS}")
        for name, quoted in _JAAS_VALUE.findall(text)
    }
    if set(found) != {"username", "password"}:
        raise _wrong(
            f"option {_JAAS!r} has no username and password",
            "use sasl.username and sasl.password, or sasl.oauthbearer.method",
        )
    return {f"sasl.{name}": value for name, value in found.items()}


def _wrong(message: str, next_action: str) -> UsageError:
    return wrong(_KIND, message, next_action)
