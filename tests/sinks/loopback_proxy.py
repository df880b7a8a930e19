"""A door between a client and a server on loopback, which can be shut in two ways."""

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Door:
    """Passes bytes on; mute, it passes what clients say and swallows what the server answers."""

    def __init__(self, port: int, target: int) -> None:
        self.mute = False
        self._target = target
        self._pairs: dict[socket.socket, tuple[socket.socket, bool]] = {}
        self._lock = threading.Lock()
        self._over = False
        self._listening = socket.create_server(("127.0.0.1", port))
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """End every connection there is."""
        with self._lock:
            for each in list(self._pairs):
                self._end(each)

    def close(self) -> None:
        self._over = True
        self._thread.join()
        self.cut()
        self._listening.close()

    def _serve(self) -> None:
        while not self._over:
            for key, _ in self._selector.select(0.05):
                if key.fileobj is self._listening:
                    self._accept()
                else:
                    assert isinstance(key.fileobj, socket.socket)
                    self._pass(key.fileobj)

    def _accept(self) -> None:
        client, _ = self._listening.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self._target), timeout=5)
        except OSError:
            client.close()
            return
        with self._lock:
            self._pairs[client] = (server, False)
            self._pairs[server] = (client, True)
            for each in (client, server):
                self._selector.register(each, selectors.EVENT_READ)

    def _pass(self, side: socket.socket) -> None:
        with self._lock:
            if side not in self._pairs:
                return
            other, is_answer = self._pairs[side]
            try:
                data = side.recv(65_536)
                if data and not (is_answer and self.mute):
                    other.sendall(data)
            except OSError:
                data = b""
            if not data:
                self._end(side)

    def _end(self, side: socket.socket) -> None:
        if side not in self._pairs:
            return
        other, _ = self._pairs.pop(side)
        self._pairs.pop(other, None)
        for each in (side, other):
            self._selector.unregister(each)
            each.close()


@contextmanager
def door(port: int, target: int) -> Iterator[Door]:
    made = Door(port, target)
    try:
        yield made
    finally:
        made.close()
