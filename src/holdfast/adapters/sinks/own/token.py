"""The name of a chunk of rows: the same at every replay, another for other rows."""

import base64
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

_FORM = "hf1"
_BYTES = 20
"""160 bits: no two chunks of the world share a text, and it fits wherever a UUID does."""


@dataclass(frozen=True, kw_only=True)
class Token:
    """Which chunk of which batch, and what is in it."""

    query_id: str
    sink: str
    batch_id: int
    chunk: int
    """Counted from 0."""
    digest: str
    """Of the chunk's columns and rows, 32 hexadecimal digits."""

    @cached_property
    def text(self) -> str:
        """One short text for all of it: letters, digits and `-`, 36 characters.

        Fit for an `Idempotency-Key`, a primary key or a file name.
        """
        state = blake2b(digest_size=_BYTES)
        for part in (self.query_id, self.sink, str(self.batch_id), str(self.chunk), self.digest):
            raw = part.encode("utf-8")
            state.update(b"%d:" % len(raw))
            state.update(raw)
        return f"{_FORM}-{base64.b32encode(state.digest()).decode('ascii').lower()}"

    def __str__(self) -> str:
        return self.text
