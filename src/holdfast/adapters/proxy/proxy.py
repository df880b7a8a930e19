"""A proxy on loopback that asks about each message before it is handed on.

What is asked about waits: it has not reached the other side. Threads, two for each connection; they
end with the `with` block.
"""

import itertools
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from holdfast.adapters.proxy.connection import Ask, Connection
from holdfast.core.crash.wire.address import ServerAddress
from holdfast.core.crash.wire.protocols import WIRE_PROTOCOLS
from holdfast.errors import UnreachableError

_LOOPBACK = "127.0.0.1"
_WAITING = 128
"""Connections that may wait to be taken; Spark opens one for each task."""
_LOOK_S = 0.1
_CONNECT_S = 30.0


class Proxy:
    """A port that leads to a server.

    It is open from the beginning, so that its address can be told; whoever connects is served only
    while somebody attends.
    """

    def __init__(self, server: ServerAddress) -> None:
        """Take a free port; nothing is connected to the server yet."""
        self._protocol = WIRE_PROTOCOLS[server.protocol]
        self._lock = threading.Lock()
        self._doors: dict[tuple[str, int], socket.socket] = {}
        self._attending: list[_Attendance] = []
        self._threads: list[threading.Thread] = []
        self.protocol = server.protocol
        self.host, self.port = self._route(server.host, server.port)

    @property
    def address(self) -> str:
        """HOST:PORT, for the job."""
        return f"{self.host}:{self.port}"

    @contextmanager
    def attended(self, ask: Ask) -> Iterator[None]:
        """Serve, and ask about each message, until the block ends; then these connections end.

        Within a block there may be another: it gets the connections that are made meanwhile.
        """
        mine = _Attendance(ask=ask)
        with self._lock:
            self._attending.append(mine)
            if len(self._attending) == 1:
                for target, door in self._doors.items():
                    self._open(target, door)
        try:
            yield
        finally:
            with self._lock:
                self._attending.remove(mine)
                threads = [] if self._attending else self._threads
                self._threads = self._threads if self._attending else []
            for thread in threads:
                thread.join()
            mine.end()

    def close(self) -> None:
        """Give the ports back."""
        with self._lock:
            doors, self._doors = list(self._doors.values()), {}
        for door in doors:
            door.close()

    def _route(self, host: str, port: int) -> tuple[str, int]:
        """The port that leads to a server; servers that others tell of get one of their own."""
        with self._lock:
            door = self._doors.get((host, port))
            if door is None:
                door = self._doors[host, port] = _door()
                if self._attending:
                    self._open((host, port), door)
            address, own, *_ = door.getsockname()
            return str(address), int(own)

    def _open(self, target: tuple[str, int], door: socket.socket) -> None:
        thread = threading.Thread(target=self._take, args=(target, door), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _take(self, target: tuple[str, int], door: socket.socket) -> None:
        while self._newest() is not None:
            try:
                job, _ = door.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            whose = self._newest()  # only now: it may be another than when we began to wait
            if whose is None:
                job.close()
            else:
                self._connect(target, job, whose)
        # Of a job that is gone nobody may come in later.
        door.settimeout(0)
        with suppress(OSError):
            while True:
                door.accept()[0].close()
        door.settimeout(_LOOK_S)

    def _newest(self) -> "_Attendance | None":
        with self._lock:
            return self._attending[-1] if self._attending else None

    def _connect(self, target: tuple[str, int], job: socket.socket, whose: "_Attendance") -> None:
        try:
            server = socket.create_connection(target, timeout=_CONNECT_S)
        except OSError:
            job.close()  # as a server that is not there refuses
            return
        connection = Connection(
            job,
            server,
            number=next(whose.numbers),
            short=self._protocol.short,
            talk=self._protocol.talk(self._route),
            ask=whose.ask,
        )
        with self._lock:
            late = whose not in self._attending
            if not late:
                whose.connections.append(connection)
        connection.start()
        if late:
            connection.close()
            connection.join()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Attendance:
    """Somebody who is asked, and the connections that were made meanwhile."""

    ask: Ask
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    connections: list[Connection] = field(default_factory=list)

    def end(self) -> None:
        for connection in self.connections:
            connection.close()
        for connection in self.connections:
            connection.join()


def _door() -> socket.socket:
    door = socket.socket()
    try:
        door.bind((_LOOPBACK, 0))
        door.listen(_WAITING)
    except OSError as error:
        door.close()
        raise UnreachableError(f"no port can be had on {_LOOPBACK}: {error.strerror}") from None
    door.settimeout(_LOOK_S)
    return door
