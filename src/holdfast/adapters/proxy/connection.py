"""One connection of a job through the proxy."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from holdfast.core.crash.wire.message import Message, Piece, Talk

Action = Literal["pass", "hold", "cut", "hang"]
Ask = Callable[[Message, threading.Event], Action]
"""What to do with a message. On "hold" it waits for the event, and is then handed on."""

HANG_S = 5.0
"""How long nothing is handed on: longer than a job waits that is impatient, and shorter than most
servers wait for a client."""
_READ_BYTES = 65_536


class Connection:
    """Two threads, one for each direction; what is asked about one waits for the other, too."""

    def __init__(
        self,
        job: socket.socket,
        server: socket.socket,
        *,
        number: int,
        short: str,
        talk: Talk,
        ask: Ask,
    ) -> None:
        """Nothing is handed on yet."""
        self._job, self._server = job, server
        for side in (job, server):
            side.settimeout(None)
            with suppress(OSError):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._number = number
        self._short = short
        self._talk = talk
        self._lock = threading.Lock()
        self._ask = ask
        self._closed = threading.Event()
        ways = (
            (job, server, talk.sent),
            (server, job, talk.answered),
        )
        self._threads = [
            threading.Thread(target=self._carry, args=way, daemon=True) for way in ways
        ]

    def start(self) -> None:
        """Hand on, both ways."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End both sides at once; what waits is never handed on."""
        self._closed.set()
        for side in (self._job, self._server):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def join(self) -> None:
        """Wait for its threads, and let go of both sides."""
        for thread in self._threads:
            thread.join()
        self._job.close()
        self._server.close()

    def _carry(
        self,
        source: socket.socket,
        target: socket.socket,
        cut: Callable[[bytes], list[Piece]],
    ) -> None:
        try:
            while data := source.recv(_READ_BYTES):
                with self._lock:
                    pieces = cut(data)
                if not self._hand_on(pieces, target):
                    return
            if not self._closed.is_set():
                # One side has nothing more to say; the other may still answer.
                target.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()  # one side is gone without a word: so is the other
        except BaseException:
            self.close()  # nobody may wait for us for ever
            raise

    def _hand_on(self, pieces: list[Piece], target: socket.socket) -> bool:
        """Whether the connection goes on."""
        ready = bytearray()
        for piece in pieces:
            if piece.name is not None:
                if ready:
                    target.sendall(ready)
                    ready.clear()
                if not self._allowed(piece):
                    return False
            ready += piece.data
        if ready:
            target.sendall(ready)
        return True

    def _allowed(self, piece: Piece) -> bool:
        go_on = threading.Event()
        message = Message(
            connection=self._number,
            call=piece.call,
            name=f"{self._short}:{piece.name}",
            steady=piece.steady,
        )
        action = self._ask(message, go_on)
        if action == "cut":
            self.close()
        elif action == "hang":
            self._closed.wait(HANG_S)
        elif action == "hold":
            while not (go_on.is_set() or self._closed.is_set()):
                go_on.wait(0.05)
        return not self._closed.is_set()
