"""Kafka's requests and answers: four bytes of length, then kind, version and correlation id.

Points are the requests after which a broker keeps something. How many there are of each depends on
time, since clients gather records and ask again by themselves: all but the end of a transaction
are not steady.
"""

import struct
from dataclasses import replace

from holdfast.core.crash.wire.kafka_addresses import FLEXIBLE_FROM, led
from holdfast.core.crash.wire.message import MessageCall, Piece, Route
from holdfast.core.crash.wire.plain import PlainTalk

_PRODUCE, _END_TXN = 0, 26
_NAMES = {
    _PRODUCE: "Produce",
    8: "OffsetCommit",
    19: "CreateTopics",
    22: "InitProducerId",
    24: "AddPartitionsToTxn",
    25: "AddOffsetsToTxn",
    _END_TXN: "EndTxn",
    28: "TxnOffsetCommit",
}
_FLEXIBLE_REQUEST = {_PRODUCE: 9, _END_TXN: 3}
_PRODUCER_BYTES = 10
"""Id and epoch, between the id of the transaction and whether it is to be committed."""
_MESSAGE_BYTES_MAX = 1 << 28
"""More than any broker takes (socket.request.max.bytes is 100 MiB)."""


class KafkaTalk:
    """Implements Talk, and leads the job to brokers by the route."""

    def __init__(self, route: Route) -> None:
        """The job asks first."""
        self._route = route
        self._plain: PlainTalk | None = None
        self._job, self._server = bytearray(), bytearray()
        self._asked: dict[int, tuple[int, int, Piece]] = {}
        """Kind, version, and the answer but for its bytes; by correlation id."""

    def sent(self, data: bytes) -> list[Piece]:
        """Requests that are whole."""
        self._job += data
        pieces = []
        while self._plain is None and (frame := self._frame(self._job)) is not None:
            pieces.append(self._request(frame))
        if self._plain is None:
            return pieces
        rest, self._job = bytes(self._job), bytearray()
        return [*pieces, *self._plain.sent(rest)]

    def answered(self, data: bytes) -> list[Piece]:
        """Answers that are whole."""
        self._server += data
        pieces = []
        while self._plain is None and (frame := self._frame(self._server)) is not None:
            pieces.append(self._answer(frame))
        if self._plain is None:
            return pieces
        rest, self._server = bytes(self._server), bytearray()
        return [*pieces, *self._plain.answered(rest)]

    def _frame(self, buffer: bytearray) -> bytes | None:
        if len(buffer) < 4:
            return None
        size = int.from_bytes(buffer[:4])
        if not 4 <= size <= _MESSAGE_BYTES_MAX:
            self._plain = PlainTalk()  # TLS, most likely
            return None
        if len(buffer) < 4 + size:
            return None
        taken = bytes(buffer[: 4 + size])
        del buffer[: 4 + size]
        return taken

    def _request(self, frame: bytes) -> Piece:
        if len(frame) < 12:
            return Piece(data=frame)
        kind, version, correlation = struct.unpack_from("!hhi", frame, 4)
        piece = _named(frame, kind, version)
        if piece.name is not None or kind in FLEXIBLE_FROM:
            answer = replace(piece, data=b"", call=_answer_to(piece, frame, kind, version))
            self._asked[correlation] = (kind, version, answer)
        return piece

    def _answer(self, frame: bytes) -> Piece:
        (correlation,) = struct.unpack_from("!i", frame, 4)
        asked = self._asked.pop(correlation, None)
        if asked is None:
            return Piece(data=frame)
        kind, version, answer = asked
        if kind in FLEXIBLE_FROM:
            body = led(frame[4:], kind, version, self._route)
            return Piece(data=struct.pack("!i", len(body)) + body)
        return replace(answer, data=frame)


def _answer_to(piece: Piece, frame: bytes, kind: int, version: int) -> MessageCall:
    # Records outside a transaction last as soon as the broker says that it has them.
    alone = kind == _PRODUCE and not _is_transactional(frame, version)
    return "acknowledge" if piece.call == "commit" or alone else "answer"


def _named(frame: bytes, kind: int, version: int) -> Piece:
    name = _NAMES.get(kind)
    if name is None:
        return Piece(data=frame)
    if kind == _END_TXN:
        if _is_abort(frame, version):
            return Piece(data=frame, name=f"{name} abort", steady=False)
        return Piece(data=frame, name=name, call="commit")
    return Piece(data=frame, name=name, steady=False)


def _body(frame: bytes, kind: int, version: int) -> tuple[int, bool]:
    """Where the body of a request begins, and whether its strings are compact."""
    (client,) = struct.unpack_from("!h", frame, 12)
    flexible = version >= _FLEXIBLE_REQUEST[kind]
    # Behind the client's name a flexible header has tags, and clients send none.
    return 14 + max(0, client) + (1 if flexible else 0), flexible


def _is_transactional(frame: bytes, version: int) -> bool:
    """Whether records belong to a transaction; both begin with its id, or null."""
    try:
        at, flexible = _body(frame, _PRODUCE, version)
        if version < 3:
            return False
        return frame[at] != 0 if flexible else frame[at : at + 2] != b"\xff\xff"
    except (IndexError, struct.error):
        return True


def _is_abort(frame: bytes, version: int) -> bool:
    try:
        at, flexible = _body(frame, _END_TXN, version)
        if flexible:
            long = frame[at] >= 0x80  # two bytes of length, each with seven bits of it
            size = (frame[at] & 0x7F) + (frame[at + 1] << 7 if long else 0) - 1
            at += (2 if long else 1) + size
        else:
            at += 2 + struct.unpack_from("!h", frame, at)[0]
        return frame[at + _PRODUCER_BYTES] == 0
    except (IndexError, struct.error):
        return False
