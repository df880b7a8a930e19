"""MySQL's and MariaDB's packets: three bytes of length, a number, and in a command its byte.

A command is a point where it executes something. Its answer is its first packet: the server has
done what was asked when it comes.
"""

import struct

from holdfast.core.crash.wire.message import MessageCall, Piece
from holdfast.core.crash.wire.plain import PlainTalk
from holdfast.core.crash.wire.sql_verb import commits, verb_of, writes

_OK, _ERROR, _FILE_WANTED = 0x00, 0xFF, 0xFB
_QUERY, _PREPARE, _EXECUTE, _BULK = 0x03, 0x16, 0x17, 0xFA
_IN_TRANSACTION = 0x0001
_UNREADABLE = 0x0800 | 0x20 | 1 << 26
"""Capabilities of the job after which packets cannot be read: TLS, zlib, zstd."""
_WIDTHS = {0xFC: 2, 0xFD: 3, 0xFE: 8}
_NO_ATTRIBUTES = b"\x00\x01"
"""What stands before a query where attributes were agreed on, and none is given."""


class MysqlTalk:
    """Implements Talk. What it cannot follow, such as TLS, it hands on by direction."""

    def __init__(self) -> None:
        """The server greets first."""
        self._plain: PlainTalk | None = None
        self._job, self._server = bytearray(), bytearray()
        self._agreed = False
        """The job is let in: commands come."""
        self._said = False
        """The job has answered the greeting."""
        self._asked: str | None = None
        """The verb that is waited for; '' where its answer is no point."""
        self._preparing: str | None = None
        self._prepared: dict[int, str] = {}

    def sent(self, data: bytes) -> list[Piece]:
        """Packets of the job that are whole."""
        self._job += data
        pieces = []
        while self._plain is None and (packet := _packet(self._job)) is not None:
            pieces.append(self._command(packet) if self._agreed else self._greeted(packet))
        if self._plain is None:
            return pieces
        rest, self._job = bytes(self._job), bytearray()
        return [*pieces, *self._plain.sent(rest)]

    def answered(self, data: bytes) -> list[Piece]:
        """Packets of the server that are whole."""
        self._server += data
        pieces = []
        while self._plain is None and (packet := _packet(self._server)) is not None:
            pieces.append(self._answer(packet))
        if self._plain is None:
            return pieces
        rest, self._server = bytes(self._server), bytearray()
        return [*pieces, *self._plain.answered(rest)]

    def _greeted(self, packet: bytes) -> Piece:
        body = packet[4:]
        if not self._said and len(body) >= 4 and int.from_bytes(body[:4], "little") & _UNREADABLE:
            self._plain = PlainTalk()
        self._said = True
        return Piece(data=packet)

    def _command(self, packet: bytes) -> Piece:
        if packet[3] != 0:
            # The rest of a large one, or a file that the server asked for.
            return Piece(data=packet, name="Data")
        self._asked = ""
        command, body = packet[4] if len(packet) > 4 else 0, packet[5:]
        if command == _QUERY:
            verb = verb_of(body.removeprefix(_NO_ATTRIBUTES))
            return self._executed(packet, "Query", verb)
        if command == _PREPARE:
            self._preparing = verb_of(body)
        elif command in (_EXECUTE, _BULK) and len(body) >= 4:
            verb = self._prepared.get(int.from_bytes(body[:4], "little"), "")
            return self._executed(packet, "Execute", verb)
        return Piece(data=packet)

    def _executed(self, packet: bytes, kind: str, verb: str) -> Piece:
        self._asked = verb
        if not verb:
            return Piece(data=packet)
        call: MessageCall = "commit" if commits(verb) else "send"
        return Piece(data=packet, name=f"{kind} {verb}", call=call)

    def _answer(self, packet: bytes) -> Piece:
        first = packet[4] if len(packet) > 4 else _ERROR
        if not self._agreed:
            self._agreed = self._said and first == _OK
            return Piece(data=packet)
        verb, preparing = self._asked, self._preparing
        if first != _FILE_WANTED:
            self._asked = self._preparing = None
        if preparing is not None and first == _OK and len(packet) >= 9:
            self._prepared[int.from_bytes(packet[5:9], "little")] = preparing
        if not verb or first in (_ERROR, _FILE_WANTED):
            return Piece(data=packet)
        lasts = first == _OK and (commits(verb) or (writes(verb) and not _is_open(packet[5:])))
        return Piece(data=packet, name=verb, call="acknowledge" if lasts else "answer")


def _is_open(body: bytes) -> bool:
    """Whether a transaction is open after an OK; also where that cannot be read."""
    at = 0
    for _rows_then_last_id in range(2):
        if at >= len(body):
            return True
        at += 1 + _WIDTHS.get(body[at], 0)
    if at + 2 > len(body):
        return True
    status: int = struct.unpack_from("<H", body, at)[0]
    return bool(status & _IN_TRANSACTION)


def _packet(buffer: bytearray) -> bytes | None:
    if len(buffer) < 4:
        return None
    size = 4 + int.from_bytes(buffer[:3], "little")
    if len(buffer) < size:
        return None
    taken = bytes(buffer[:size])
    del buffer[:size]
    return taken
