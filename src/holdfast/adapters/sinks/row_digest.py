"""A digest of the rows of a batch that does not depend on their order.

The sum, modulo 2**128, of the BLAKE2b (16 bytes) of each row. A row is hashed after the names of
its columns; columns are taken in the order of their names, so their order in the batch does not
matter either. Values are hashed as they are stored, so the digest of a batch that was appended
can be computed again from the table. Encoding: `n;` null, `i42;` whole number, `f<hex>;` float
(float.hex), `s<bytes>:<UTF-8>` text, `b<bytes>:<bytes>` blob.
"""

from collections.abc import Sequence
from hashlib import blake2b

from holdfast.adapters.sinks.sql_types import Stored

_MODULUS = 2**128


class RowDigest:
    """Counts and digests rows one at a time."""

    def __init__(self, columns: Sequence[str]) -> None:
        """Rows will come with their values in the order of these columns."""
        self._order = sorted(range(len(columns)), key=columns.__getitem__)
        self._in_order = self._order == list(range(len(columns)))
        self._start = blake2b(_encoded([columns[i] for i in self._order]), digest_size=16)
        self._sum = 0
        self.rows = 0

    def add(self, row: Sequence[Stored]) -> tuple[bytes, int]:
        """Take in a row; its own digest (equal rows have equal ones) and its size in bytes."""
        encoded = _encoded(row if self._in_order else [row[i] for i in self._order])
        state = self._start.copy()
        state.update(encoded)
        digest = state.digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % _MODULUS
        self.rows += 1
        return digest, len(encoded)

    def hex(self) -> str:
        """The digest of the rows so far, 32 hexadecimal digits; all zeros for no rows."""
        return f"{self._sum:032x}"


def _encoded(values: Sequence[Stored]) -> bytes:
    pieces: list[bytes] = []
    for value in values:
        if value is None:
            pieces.append(b"n;")
        elif isinstance(value, str):
            raw = value.encode("utf-8")
            pieces.append(b"s%d:" % len(raw))
            pieces.append(raw)
        elif isinstance(value, int):
            pieces.append(b"i%d;" % value)
        elif isinstance(value, float):
            pieces.append(b"f%b;" % value.hex().encode("ascii"))
        else:
            pieces.append(b"b%d:" % len(value))
            pieces.append(value)
    return b"".join(pieces)
