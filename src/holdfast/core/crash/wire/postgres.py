"""PostgreSQL's frontend and backend messages (protocol 3).

A statement is a point where it is executed: parsing and binding it leaves nothing behind, nor does
the Sync after it that was not there before. Its answer is CommandComplete together with the
ReadyForQuery behind it, which tells whether a transaction is open.
"""

import struct

from holdfast.core.crash.wire.message import MessageCall, Piece
from holdfast.core.crash.wire.plain import PlainTalk
from holdfast.core.crash.wire.sql_verb import commits, verb_of, writes

_TLS, _GSS, _CANCEL = 80877103, 80877104, 80877102
_STARTUP_BYTES_MAX = 10_000
"""As the server has it (MAX_STARTUP_PACKET_LENGTH)."""
_MESSAGE_BYTES_MAX = 1 << 30
"""As the server has it; more is no message."""
_BESIDE = b"NSA"
"""Notices, settings and notifications may come between any two messages."""


class PostgresTalk:
    """Implements Talk. What it cannot follow, such as TLS, it hands on by direction."""

    def __init__(self) -> None:
        """The first packet is that of the job."""
        self._plain: PlainTalk | None = None
        self._job, self._server = bytearray(), bytearray()
        self._starting = True
        self._offered = False
        """TLS was asked for: the server answers by one byte."""
        self._statements: dict[bytes, str] = {}
        self._portals: dict[bytes, str] = {}
        self._flushed = False
        """The job waits for less than the end of the answer."""
        self._done = b""
        """CommandComplete, held back until what is behind it is known."""
        self._verb = ""
        self._status = b"I"

    def sent(self, data: bytes) -> list[Piece]:
        """Messages of the job that are whole."""
        self._job += data
        pieces: list[Piece] = []
        while self._plain is None:
            piece = self._start() if self._starting else self._statement()
            if piece is None:
                return pieces
            pieces.append(piece)
        rest, self._job = bytes(self._job), bytearray()
        return [*pieces, *self._plain.sent(rest)]

    def answered(self, data: bytes) -> list[Piece]:
        """Messages of the server that are whole."""
        self._server += data
        pieces: list[Piece] = []
        if self._offered and self._server:
            self._offered = False
            answer = _take(self._server, 1)
            pieces.append(Piece(data=answer))
            if answer in b"SG":
                self._plain = PlainTalk()
        while self._plain is None and (message := _typed(self._server)) is not None:
            if message:
                pieces += self._answer(message)
            else:
                pieces += self._release()
                self._plain = PlainTalk()
        if self._plain is None:
            return pieces
        rest, self._server = bytes(self._server), bytearray()
        return [*pieces, *self._plain.answered(rest)]

    def _start(self) -> Piece | None:
        if len(self._job) < 8:
            return None
        length, code = struct.unpack("!II", self._job[:8])
        if not 8 <= length <= _STARTUP_BYTES_MAX:
            self._plain = PlainTalk()
            return Piece(data=b"")
        if len(self._job) < length:
            return None
        self._offered = code in (_TLS, _GSS)
        self._starting = code in (_TLS, _GSS, _CANCEL)
        return Piece(data=_take(self._job, length))

    def _statement(self) -> Piece | None:
        message = _typed(self._job)
        if message is None:
            return None
        if not message:
            self._plain = PlainTalk()
            return Piece(data=b"")
        kind, body = message[:1], message[5:]
        # After a Sync or a Query ReadyForQuery is sure to come; after a Flush nothing is.
        self._flushed = kind == b"H" or (self._flushed and kind not in b"SQ")
        match kind:
            case b"Q":
                return _executed(message, "Query", verb_of(body.rstrip(b"\0")))
            case b"P":
                name, statement, *_ = (*body.split(b"\0", 2), b"")
                self._statements[name] = verb_of(statement)
            case b"B":
                portal, name, *_ = (*body.split(b"\0", 2), b"")
                self._portals[portal] = self._statements.get(name, "")
            case b"E":
                verb = self._portals.get(body.partition(b"\0")[0], "")
                return _executed(message, "Execute", verb)
            case b"F":
                return Piece(data=message, name="FunctionCall")
            case b"d":
                return Piece(data=message, name="CopyData")
            case b"c":
                return Piece(data=message, name="CopyDone")
        return Piece(data=message)

    def _answer(self, message: bytes) -> list[Piece]:
        kind = message[:1]
        if kind == b"C":
            before = self._release()
            self._done, self._verb = message, verb_of(message[5:].rstrip(b"\0"))
            return [*before, *(self._release() if self._flushed else ())]
        if kind == b"Z":
            return self._ready(message)
        if self._done and kind in _BESIDE:
            self._done += message
            return []
        return [*self._release(), Piece(data=message)]

    def _ready(self, message: bytes) -> list[Piece]:
        alone, self._status = self._status == b"I", message[5:6]
        if not self._done:
            return [Piece(data=message)]
        done, self._done = self._done + message, b""
        # A statement that is its own transaction lasts, too.
        lasts = commits(self._verb) or (alone and self._status == b"I" and writes(self._verb))
        return [_acknowledged(done, self._verb, lasts=lasts)]

    def _release(self) -> list[Piece]:
        done, self._done = self._done, b""
        return [_acknowledged(done, self._verb, lasts=commits(self._verb))] if done else []


def _executed(message: bytes, kind: str, verb: str) -> Piece:
    if not verb:
        return Piece(data=message)
    call: MessageCall = "commit" if commits(verb) else "send"
    return Piece(data=message, name=f"{kind} {verb}", call=call)


def _acknowledged(data: bytes, verb: str, *, lasts: bool) -> Piece:
    if not verb:
        return Piece(data=data, call="answer")
    return Piece(data=data, name=verb, call="acknowledge" if lasts else "answer")


def _typed(buffer: bytearray) -> bytes | None:
    """The next message, None where it is not whole yet; empty where this is none at all."""
    if len(buffer) < 5:
        return None
    length = int.from_bytes(buffer[1:5])
    if not 4 <= length <= _MESSAGE_BYTES_MAX:
        return b""
    return _take(buffer, length + 1) if len(buffer) > length else None


def _take(buffer: bytearray, size: int) -> bytes:
    taken = bytes(buffer[:size])
    del buffer[:size]
    return taken
