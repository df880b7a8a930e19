"""Values as java.io.DataOutput writes them: big-endian integers and modified UTF-8 strings."""

from typing import Final

from holdfast.errors import MalformedError

_FOUR_BYTE_LEAD: Final = 0xF0


class JavaDataInput:
    """A cursor over bytes, with the reading methods of java.io.DataInput that Spark uses.

    Every length is checked against what is left before anything is taken, so a damaged length
    is an error and never an allocation.
    """

    __slots__ = ("_data", "_position", "_what")

    def __init__(self, data: bytes, what: str) -> None:
        """Start at the first byte; `what` names the file in errors."""
        self._data = data
        self._position = 0
        self._what = what

    def take(self, count: int) -> bytes:
        """Take the next `count` bytes."""
        end = self._position + count
        if end > len(self._data):
            raise MalformedError(
                f"{self._what} is cut short: {count} bytes expected at byte {self._position}, "
                f"{len(self._data) - self._position} are left"
            )
        taken = self._data[self._position : end]
        self._position = end
        return taken

    def int32(self) -> int:
        """Take a signed 4-byte integer (DataInput.readInt)."""
        return int.from_bytes(self.take(4), "big", signed=True)

    def int16(self) -> int:
        """Take a signed 2-byte integer (DataInput.readShort)."""
        return int.from_bytes(self.take(2), "big", signed=True)

    def utf_bytes(self) -> bytes:
        """Take the bytes of one string (DataInput.readUTF), not yet decoded.

        Spark cuts long strings by UTF-16 unit (SchemaHelper, MAX_UTF_CHUNK_SIZE), so a pair of
        surrogates may lie in two chunks: chunks are joined first and decoded after.
        """
        return self.take(int.from_bytes(self.take(2), "big"))

    def utf(self) -> str:
        """Take and decode one string (DataInput.readUTF)."""
        return decode_modified_utf8(self.utf_bytes(), self._what)


def decode_modified_utf8(raw: bytes, what: str) -> str:
    """Decode the encoding that java.io.DataInput documents as modified UTF-8.

    It differs from UTF-8 in two ways: NUL is 0xC0 0x80, and a character beyond the basic plane
    is two surrogates of three bytes each instead of one sequence of four.
    """
    if raw.isascii():
        return raw.decode("ascii")
    if max(raw) >= _FOUR_BYTE_LEAD:
        raise MalformedError(f"{what} holds a string that is not modified UTF-8")
    try:
        units = raw.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
        return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise MalformedError(f"{what} holds a string that is not modified UTF-8") from error
