"""Protocols by the names that people give them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdfast.core.crash.wire.kafka import KafkaTalk
from holdfast.core.crash.wire.message import Route, Talk
from holdfast.core.crash.wire.mysql import MysqlTalk
from holdfast.core.crash.wire.plain import PlainTalk
from holdfast.core.crash.wire.postgres import PostgresTalk


@dataclass(frozen=True, slots=True, kw_only=True)
class WireProtocol:
    """How a server is spoken to."""

    short: str
    """What stands before the names of its messages."""
    port: int
    """Where it listens unless told otherwise."""
    talk: Callable[[Route], Talk]


_MYSQL = WireProtocol(short="mysql", port=3306, talk=lambda _route: MysqlTalk())
WIRE_PROTOCOLS: Mapping[str, WireProtocol] = {
    "postgres": WireProtocol(short="pg", port=5432, talk=lambda _route: PostgresTalk()),
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "kafka": WireProtocol(short="kafka", port=9092, talk=KafkaTalk),
    "http": WireProtocol(short="http", port=80, talk=lambda _route: PlainTalk()),
    "tcp": WireProtocol(short="tcp", port=0, talk=lambda _route: PlainTalk()),
}
