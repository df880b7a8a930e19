"""Addresses of brokers in Kafka's answers: each is led to where the job can be listened to.

A client asks any broker for the others and goes to those directly, so without this it would talk
past the proxy from its second connection on. Only host and port are changed.
"""

import struct

from holdfast.core.crash.wire.message import Route

METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER = 3, 10, 60
FLEXIBLE_FROM = {METADATA: 9, FIND_COORDINATOR: 3, DESCRIBE_CLUSTER: 0}
"""The first version with compact strings and tags, by kind."""


class Copier:
    """Reads an answer from front to back, and writes what it read, addresses led elsewhere."""

    def __init__(self, data: bytes, *, flexible: bool, route: Route) -> None:
        """Nothing is read yet."""
        self._data = data
        self._at = 0
        self._flexible = flexible
        self._route = route
        self._out = bytearray()

    def done(self) -> bytes:
        """All of it; what was not read is as it was."""
        return bytes(self._out) + self._data[self._at :]

    def raw(self, size: int) -> bytes:
        """Bytes as they are."""
        if size < 0 or self._at + size > len(self._data):
            raise ValueError(size)
        taken = self._data[self._at : self._at + size]
        self._at += size
        self._out += taken
        return taken

    def count(self) -> int:
        """The length of an array."""
        if self._flexible:
            return self._varint() - 1
        length: int = struct.unpack("!i", self.raw(4))[0]
        return length

    def text(self) -> bytes:
        """A string; empty where it is null."""
        size = self._varint() - 1 if self._flexible else struct.unpack("!h", self.raw(2))[0]
        return self.raw(max(0, size))

    def tags(self) -> None:
        """Fields of newer versions."""
        if self._flexible:
            for _ in range(self._varint()):
                self._varint()
                self.raw(self._varint())

    def address(self) -> None:
        """Host and port, which are written as the route says."""
        start = len(self._out)
        name = self.text().decode()
        (port,) = struct.unpack("!i", self.raw(4))
        if not name or port < 0:
            return  # no broker: an error, told further on
        del self._out[start:]
        name, port = self._route(name, port)
        told = name.encode()
        length = bytes([len(told) + 1]) if self._flexible else struct.pack("!h", len(told))
        self._out += length + told + struct.pack("!i", port)

    def _varint(self) -> int:
        value = shift = 0
        while True:
            (byte,) = self.raw(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 28:
                raise ValueError(value)


def led(body: bytes, kind: int, version: int, route: Route) -> bytes:
    """An answer, from its correlation id on, with other addresses; as it was where it is not one.

    As the schemas of Kafka 4 have it (MetadataResponse, FindCoordinatorResponse,
    DescribeClusterResponse).
    """
    copy = Copier(body, flexible=version >= FLEXIBLE_FROM[kind], route=route)
    try:
        copy.raw(4)
        copy.tags()
        if kind == METADATA:
            _metadata(copy, version)
        elif kind == FIND_COORDINATOR:
            _coordinator(copy, version)
        else:
            _cluster(copy, version)
    except (ValueError, struct.error):
        return body
    return copy.done()


def _metadata(copy: Copier, version: int) -> None:
    if version >= 3:
        copy.raw(4)
    for _ in range(copy.count()):
        copy.raw(4)
        copy.address()
        if version >= 1:
            copy.text()
        copy.tags()


def _coordinator(copy: Copier, version: int) -> None:
    if version >= 1:
        copy.raw(4)
    if version >= 4:
        for _ in range(copy.count()):
            copy.text()
            copy.raw(4)
            copy.address()
            copy.raw(2)
            copy.text()
            copy.tags()
        return
    copy.raw(2)
    if version >= 1:
        copy.text()
    copy.raw(4)
    copy.address()


def _cluster(copy: Copier, version: int) -> None:
    copy.raw(6)
    copy.text()
    if version >= 1:
        copy.raw(1)
    copy.text()
    copy.raw(4)
    for _ in range(copy.count()):
        copy.raw(4)
        copy.address()
        copy.text()
        if version >= 2:
            copy.raw(1)
        copy.tags()
