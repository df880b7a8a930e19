"""XXH32, the checksum of lz4-java's block stream; written here to save a library."""

import struct
from typing import Final

_MASK: Final = 0xFFFF_FFFF
_PRIME_1: Final = 2_654_435_761
_PRIME_2: Final = 2_246_822_519
_PRIME_3: Final = 3_266_489_917
_PRIME_4: Final = 668_265_263
_PRIME_5: Final = 374_761_393
_STRIPE: Final = struct.Struct("<4I")
_WORD: Final = struct.Struct("<I")


def xxhash32(data: bytes, seed: int) -> int:
    """Give the unsigned 32-bit hash of `data`."""
    striped = len(data) - len(data) % _STRIPE.size
    worded = len(data) - len(data) % _WORD.size
    value = _stripes(memoryview(data)[:striped], seed) if striped else seed + _PRIME_5
    value += len(data)
    for (word,) in _WORD.iter_unpack(memoryview(data)[striped:worded]):
        value = _rotate(value + word * _PRIME_3, 17) * _PRIME_4
    for byte in data[worded:]:
        value = _rotate(value + byte * _PRIME_5, 11) * _PRIME_1
    value &= _MASK
    value = ((value ^ value >> 15) * _PRIME_2) & _MASK
    value = ((value ^ value >> 13) * _PRIME_3) & _MASK
    return value ^ value >> 16


def _stripes(data: memoryview, seed: int) -> int:
    first = (seed + _PRIME_1 + _PRIME_2) & _MASK
    second = (seed + _PRIME_2) & _MASK
    third = seed & _MASK
    fourth = (seed - _PRIME_1) & _MASK
    # The rotation is spelled out four times: a call for each word would double the time.
    for one, two, three, four in _STRIPE.iter_unpack(data):
        first = (first + one * _PRIME_2) & _MASK
        first = ((first << 13 | first >> 19) * _PRIME_1) & _MASK
        second = (second + two * _PRIME_2) & _MASK
        second = ((second << 13 | second >> 19) * _PRIME_1) & _MASK
        third = (third + three * _PRIME_2) & _MASK
        third = ((third << 13 | third >> 19) * _PRIME_1) & _MASK
        fourth = (fourth + four * _PRIME_2) & _MASK
        fourth = ((fourth << 13 | fourth >> 19) * _PRIME_1) & _MASK
    return _rotate(first, 1) + _rotate(second, 7) + _rotate(third, 12) + _rotate(fourth, 18)


def _rotate(value: int, bits: int) -> int:
    value &= _MASK
    return (value << bits | value >> (32 - bits)) & _MASK
