"""A message between a job and a server, as far as an audit wants to know it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

MessageCall = Literal["send", "commit", "answer", "acknowledge"]
"""From the job: anything, and what makes the work before it last. From the server: anything, and
the word that something lasts now."""

CALLS: frozenset[str] = frozenset({"send", "commit", "answer", "acknowledge"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Bytes to be handed on in one go."""

    data: bytes
    name: str | None = None
    """What it is, such as `Query COMMIT`; None where a kill before it is no point of its own."""
    call: MessageCall = "send"
    steady: bool = True
    """How many of it come does not depend on time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A piece that is a point, on its way through one connection."""

    connection: int
    """Counted from 1 in the order in which connections were made."""
    call: MessageCall
    name: str
    """With the protocol before it: `pg:Query COMMIT`."""
    steady: bool = True


class Talk(Protocol):
    """One connection, told of the bytes of both sides in the order in which they came.

    What is given back, joined, is what came: at once, or once its message is whole. Only
    addresses of servers may be others. Never raises, whatever the bytes are.
    """

    def sent(self, data: bytes) -> list[Piece]:
        """Bytes of the job."""
        ...

    def answered(self, data: bytes) -> list[Piece]:
        """Bytes of the server."""
        ...


Route = Callable[[str, int], tuple[str, int]]
"""The address by which a job reaches a server that it was told of, in place of the server's own."""


def straight(host: str, port: int) -> tuple[str, int]:
    """The ordinary Route."""
    return host, port
