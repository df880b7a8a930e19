"""Our hashes against those of a real PostgreSQL, of values of every kind that is hashed here."""

import random
import struct
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import psycopg
import pytest

from holdfast.adapters.sinks.databases import postgres_hash, postgres_stream
from holdfast.adapters.sinks.databases.postgres_stages import _PROBE
from tests.sinks.servers import postgres_url

pytestmark = pytest.mark.server
SEEDS = (0, 1, 2**62 + 12_345, -1, -(2**63))
MODULUS = 2**64


@pytest.fixture(scope="module")
def server() -> Iterator["psycopg.Connection[Any]"]:
    with postgres_url() as url, psycopg.connect(url) as connection:
        yield connection


def there(server: Any, kind: str, values: list[Any], seed: int) -> int:
    asked = f"SELECT sum(hash_record_extended(ROW(v), %s::bigint)) FROM unnest(%s::{kind}[]) AS v"
    return int(server.execute(asked, [seed, values]).fetchone()[0]) % MODULUS


def test_the_row_by_which_servers_are_told_apart(server: Any) -> None:
    assert postgres_stream.probe() == int(server.execute(_PROBE).fetchone()[0]) % MODULUS


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers(server: Any, seed: int) -> None:
    chance = random.Random(seed)
    for kind, bits in {"int2": 16, "int4": 32, "int8": 64}.items():
        end = 2 ** (bits - 1)
        values = [-end, -1, 0, 1, end - 1, *(chance.randrange(-end, end) for _ in range(200))]
        wanted = there(server, kind, values, seed)
        assert postgres_hash.long_numbers(np.array(values, np.int64), seed) == wanted
        if bits < 64:
            assert postgres_hash.whole_numbers(np.array(values), seed) == wanted
    flags = [True, False, True]
    assert postgres_hash.whole_numbers(np.array(flags), seed) == there(server, "bool", flags, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_floats(server: Any, seed: int) -> None:
    chance = random.Random(seed)
    special = [0.0, -0.0, float("nan"), float("inf"), float("-inf"), 5e-324, -1.5]
    given = [*special, *(chance.gauss(0, 1e9) for _ in range(200))]
    assert postgres_hash.floats(np.array(given), seed) == there(server, "float8", given, seed)
    other = struct.unpack("<d", b"\x01\x00\x00\x00\x00\x00\xf8\xff")[0]
    assert postgres_hash.floats(np.array([other]), seed) == there(server, "float8", [other], seed)
    short = np.array(given, np.float32)
    wanted = there(server, "float4", [float(value) for value in short], seed)
    assert postgres_hash.floats(short, seed) == wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_text_and_bytes_of_every_length(server: Any, seed: int) -> None:
    chance = random.Random(seed)
    values = [chance.randbytes(size) for size in [*range(40), *range(60), 500, 0]]
    chance.shuffle(values)
    length = np.array([len(value) for value in values])
    start = np.cumsum(length) - length
    raw = np.frombuffer(b"".join(values), np.uint8)
    found = postgres_hash.texts(raw, start, length, seed)
    assert found == there(server, "bytea", values, seed)
    texts = [value.hex() for value in values]
    raw = np.frombuffer("".join(texts).encode(), np.uint8)
    found = postgres_hash.texts(raw, 2 * start, 2 * length, seed)
    assert found == there(server, "text", texts, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_decimals(server: Any, seed: int) -> None:
    chance = random.Random(seed)
    some = (0, 0, 1, 9_999, 1_230, 77)
    digits = np.array([[chance.choice(some) for _ in range(9)] for _ in range(300)])
    written = ["".join(f"{group:04}" for group in row) for row in digits]
    values = [Decimal(f"{text[:20]}.{text[20:]}") for text in written]
    found = postgres_hash.decimals(digits, 4, seed)
    assert found == there(server, "numeric", values, seed)
    assert found == there(server, "numeric", [value.copy_negate() for value in values], seed)


def test_no_values_and_whole_rows(server: Any) -> None:
    empty = np.zeros(0, np.int64)
    assert postgres_hash.long_numbers(empty, 1) == postgres_hash.floats(empty, 1) == 0
    assert postgres_hash.texts(np.zeros(0, np.uint8), empty, empty, 1) == 0
    row = [postgres_hash.long_numbers(np.array([n]), 7) for n in (3, -4)]
    found = server.execute(
        "SELECT hash_record_extended(ROW(3, NULL::int, -4), 7::bigint)"
    ).fetchone()
    assert postgres_hash.of_row([row[0], 0, row[1]]) == found[0] % MODULUS
