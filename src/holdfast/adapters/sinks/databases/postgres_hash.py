"""PostgreSQL's own hashes of values, by column: what `hash_record_extended` makes of rows.

The functions are those of hashfn.c and of the hash operator classes, which have been the same since
PostgreSQL 11; whoever uses them compares one row with the server first. A row's hash is a
polynomial in the hashes of its values, so the sum over rows needs one sum for each column and no
row is ever put together. Works on arrays of a few thousand values, which stay in the processor's
cache. Loaded by name: it needs NumPy.
"""

from typing import Any

import numpy as np

_START = 0x9E3779B9 + 3923095
_M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF
_MIX = ((0, 2, 1, 4), (1, 0, 2, 6), (2, 1, 0, 8), (0, 2, 1, 16), (1, 0, 2, 19), (2, 1, 0, 4))
_FINAL = ((2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24))
_NAN = np.array([0x7FF8000000000000], dtype=np.uint64)
# Bytes of the last, incomplete piece that belong to each of its three words, by its length. The
# lowest byte of the third is the length's, so what comes there moves up by one.
_TAIL = np.array(
    [[(1 << (8 * min(max(size - 4 * word, 0), 4))) - 1 for size in range(12)] for word in range(3)],
    dtype=np.uint32,
)


def whole_numbers(values: Any, seed: int) -> int:
    """The sum of hashes of int2, int4, date and boolean, as any array of whole numbers."""
    return _sum(_of_word(values.astype(np.int64).astype(np.uint32), seed))


def long_numbers(values: Any, seed: int) -> int:
    """Of int8 and timestamps: numbers that are equal hash alike, however wide they are."""
    low = values.astype(np.uint32)
    high = (values >> 32).astype(np.uint32)
    return _sum(_of_word(low ^ np.where(values >= 0, high, ~high), seed))


def floats(values: Any, seed: int) -> int:
    """Of float4 and float8; both zeros are one, and all that are no number are."""
    wide = values.astype(np.float64)
    bits = np.where(np.isnan(wide), _NAN, wide.view(np.uint64))
    a, b, c = _begun(8, seed)
    hashes = _final(
        [(a + (bits & _M32)).astype(np.uint32), (b + (bits >> 32)).astype(np.uint32), _word(c)]
    )
    zeros = int(np.count_nonzero(wide == 0))
    return (_sum(hashes[wide != 0]) + zeros * seed) & M64


def decimals(digits: Any, weight: int, seed: int) -> int:
    """Of numeric: each row its digits to the base of 10,000, the first of the given weight."""
    rows, width = digits.shape
    filled = digits != 0
    some = filled.any(axis=1)
    first = filled.argmax(axis=1)
    last = width - filled[:, ::-1].argmax(axis=1)
    raw = np.ascontiguousarray(digits.astype("<i2")).view(np.uint8).reshape(-1)
    start = np.arange(rows, dtype=np.int64) * (2 * width) + 2 * first
    hashes = _of_bytes(raw, start[some], 2 * (last - first)[some], seed)
    weights = (weight - first[some]).astype(np.int64).view(np.uint64)
    nothing = int(rows) - int(np.count_nonzero(some))
    return (_sum(hashes ^ weights) + nothing * (seed - 1)) & M64


def texts(raw: Any, start: Any, length: Any, seed: int) -> int:
    """Of text and bytea: bytes `raw`, in which each value has its start and its length."""
    return _sum(_of_bytes(raw, start, length, seed))


def of_row(hashes: "list[int]") -> int:
    """The sum of hashes of rows from those of their columns, in the order of the row."""
    total = 0
    for found in hashes:
        total = (total * 31 + found) & M64
    return total


def _sum(hashes: Any) -> int:
    return int(hashes.sum(dtype=np.uint64)) if len(hashes) else 0


def _of_word(words: Any, seed: int) -> Any:
    a, b, c = _begun(4, seed)
    return _final([words + np.uint32(a), _word(b), _word(c)])


def _of_bytes(raw: Any, start: Any, length: Any, seed: int) -> Any:
    """Values of any length. The longest come first, so that each step works on a beginning."""
    if not len(start):
        return np.zeros(0, np.uint64)
    pieces = length // 12
    order = np.argsort(-pieces, kind="stable") if pieces.min() != pieces.max() else slice(None)
    start, length, pieces = start[order], length[order], pieces[order]
    state = _begun_each(length.astype(np.uint32), seed)
    words = _words(raw)
    most = int(pieces[0])
    # How many values have more than so many pieces.
    longer = np.searchsorted(-pieces, -np.arange(most), side="left")
    for piece in range(most):
        some = slice(0, int(longer[piece]))
        place = start[some] + 12 * piece
        part = [state[i][some] + words[place + 4 * i] for i in range(3)]
        _mix(part)
        for i in range(3):
            state[i][some] = part[i]
    place, left = start + 12 * pieces, length - 12 * pieces
    for i in range(3):
        rest = words[place + 4 * i] & _TAIL[i][left]
        state[i] = state[i] + (rest << np.uint32(8) if i == 2 else rest)
    hashes = np.empty(len(length), np.uint64)
    hashes[order] = _final(state)
    return hashes


def _words(raw: Any) -> Any:
    """The 32 bits that begin at each byte; a piece may end where the bytes end."""
    padded = np.zeros(len(raw) + 16, np.uint8)
    padded[: len(raw)] = raw
    return np.ndarray((len(raw) + 12,), "<u4", padded, strides=(1,))


def _begun(length: int, seed: int) -> tuple[int, int, int]:
    a, b, c = (int(part[0]) for part in _begun_each(np.array([length], np.uint32), seed))
    return a, b, c


def _begun_each(length: Any, seed: int) -> "list[Any]":
    begin = length + np.uint32(_START & _M32)
    state = [begin, begin.copy(), begin.copy()]
    if seed:
        state[0] = state[0] + np.uint32((seed & M64) >> 32)
        state[1] = state[1] + np.uint32(seed & _M32)
        _mix(state)
    return state


def _mix(state: "list[Any]") -> None:
    for x, y, z, bits in _MIX:
        state[x] = (state[x] - state[y]) ^ _turned(state[y], bits)
        state[y] = state[y] + state[z]


def _final(state: "list[Any]") -> Any:
    for x, y, bits in _FINAL:
        state[x] = (state[x] ^ state[y]) - _turned(state[y], bits)
    return (state[1].astype(np.uint64) << np.uint64(32)) | state[2]


def _turned(words: Any, bits: int) -> Any:
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))


def _word(value: int) -> Any:
    return np.array([value], np.uint32)
