"""Ways to damage bytes, each from a seeded source of chance."""

import random
import re
from collections.abc import Callable, Sequence

_NUMBER = re.compile(rb"-?\d+")
_NUMBERS = (
    b"0",
    b"-1",
    b"2147483648",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"1e308",
    b"1e999",
    b"0.1",
    b"9" * 400,
    b"9" * 5000,
    b"NaN",
    b"null",
    b"true",
    b'"x"',
    b"[]",
    b"{}",
)
_BITS = (b"\x00", b"\xff", b"\xff\xfe", b"\n", b"\r\n", b'"', b"\\", b"\\ud800", b"[" * 300, b"{}")
_SPLICE_BYTES_MAX = 64


def flip(data: bytes, other: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 8))):
        if damaged:
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def truncate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def behead(data: bytes, other: bytes, chance: random.Random) -> bytes:
    return data[chance.randrange(len(data) + 1) :]


def splice(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """The beginning of one file and the end of another of its kind."""
    return truncate(data, other, chance) + behead(other, data, chance)


def duplicate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 2, 50)) + data[end:]


def delete(data: bytes, other: bytes, chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def insert(data: bytes, other: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    piece = chance.choice((chance.choice(_BITS), chance.randbytes(chance.randrange(1, 9))))
    return data[:place] + piece + data[place:]


def renumber(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Put another number, or no number, where text has one."""
    found = list(_NUMBER.finditer(data))
    if not found:
        return insert(data, other, chance)
    match = chance.choice(found)
    return data[: match.start()] + chance.choice(_NUMBERS) + data[match.end() :]


MUTATIONS: Sequence[Callable[[bytes, bytes, random.Random], bytes]] = (
    flip,
    flip,
    flip,
    truncate,
    behead,
    splice,
    duplicate,
    delete,
    insert,
    renumber,
    renumber,
)


def mutate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Damage a file once, or twice or more now and then; never give back the file as it was."""
    damaged = data
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        damaged = chance.choice(MUTATIONS)(damaged, other, chance)
    return damaged if damaged != data else damaged + b"\x00"


def _span(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.randrange(1, _SPLICE_BYTES_MAX))
