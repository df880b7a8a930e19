"""Addresses of servers: as people write them, and put into the option of a sink."""

import re
from dataclasses import dataclass
from typing import Self

from holdfast.core.crash.wire.protocols import WIRE_PROTOCOLS
from holdfast.errors import UsageError

_URL = re.compile(
    r"^(?P<before>[A-Za-z][\w+.-]*://(?:[^/?#]*@)?)(?P<address>[^/?#@]*)(?P<after>.*)$", re.DOTALL
)
_ADDRESS = re.compile(r"^(?P<host>\[[^\]]+\]|[^:\[\],\s]+)(?::(?P<port>\d{1,5}))?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """A server and what it speaks."""

    protocol: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """From NAME=HOST:PORT, such as postgres=localhost:5432; raises UsageError."""
        protocol, _, address = text.partition("=")
        if protocol not in WIRE_PROTOCOLS:
            raise UsageError(
                f"--through does not know {protocol!r}",
                next_action=f"use one of {', '.join(WIRE_PROTOCOLS)}, such as "
                "postgres=localhost:5432",
            )
        return cls.of(protocol, address)

    @classmethod
    def of(cls, protocol: str, address: str) -> Self:
        """From HOST or HOST:PORT; raises UsageError that shows no more than the address."""
        match = _ADDRESS.match(address)
        port = int(match["port"] or WIRE_PROTOCOLS[protocol].port) if match else 0
        if match is None or not 0 < port < 65_536:
            raise UsageError(
                f"{protocol}: not the address of a server",
                subject=address.rpartition("@")[2],
                next_action="write HOST:PORT",
            )
        return cls(protocol=protocol, host=match["host"].strip("[]"), port=port)


def address_in(value: str) -> str:
    """The address in an option: of a URL its host and port, of a list of servers the first one."""
    match = _URL.match(value)
    return (match["address"] if match else value).partition(",")[0].strip()


def with_address(value: str, address: str) -> str:
    """The option with another address in place of all that it names."""
    match = _URL.match(value)
    return f"{match['before']}{address}{match['after']}" if match else address
