"""Any protocol: bytes by the change of their direction. Of HTTP the method is told."""

from holdfast.core.crash.wire.message import MessageCall, Piece

_READS = ("GET", "HEAD", "OPTIONS")
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_LONGEST = max(len(method) for method in (*_READS, *_WRITES))
_DONE = (b"HTTP/1.0 2", b"HTTP/1.1 2")


class PlainTalk:
    """Implements Talk. A request is what comes until the other side speaks."""

    def __init__(self) -> None:
        """Nobody has spoken yet."""
        self._speaks: str | None = None
        self._asked = "bytes"

    def sent(self, data: bytes) -> list[Piece]:
        """The first bytes after the server's are a point."""
        if self._speaks == "job" or not data:
            return [Piece(data=data)]
        self._speaks = "job"
        method = data[: _LONGEST + 1].partition(b" ")[0].decode("ascii", "replace")
        self._asked = method if method in (*_READS, *_WRITES) else "bytes"
        return [Piece(data=data, name=self._asked)]

    def answered(self, data: bytes) -> list[Piece]:
        """The first bytes after the job's are a point."""
        if self._speaks != "job" or not data:
            return [Piece(data=data)]
        self._speaks = "server"
        lasts = self._asked in _WRITES and data.startswith(_DONE)
        call: MessageCall = "acknowledge" if lasts else "answer"
        return [Piece(data=data, name=self._asked, call=call)]
