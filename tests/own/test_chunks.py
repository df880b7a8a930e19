"""Chunks and tokens are the same at every replay, and others for other rows."""

import math
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.sinks.own.chunks import chunks_of
from holdfast.adapters.sinks.own.encoding import encoded
from holdfast.adapters.sinks.own.token import Token
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError


def batch_of(
    rows: list[Any], *, hashed: bool = False, columns: tuple[str, ...] = ("a", "b")
) -> Any:
    def placed() -> Any:
        # A hash of two values, so that many rows share one.
        found = [(hash(encoded(row)) % 2, row) for row in rows]
        return iter(sorted(found, key=lambda pair: pair[0]))

    return Batch(
        query_id="q",
        sink="s",
        batch_id=0,
        epoch=1,
        columns=columns,
        rows=lambda: iter(rows),
        offsets={},
        in_order=placed if hashed else None,
    )


LOCAL = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
values = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
rows = st.lists(st.tuples(values, st.lists(values, max_size=2)), max_size=30)


@given(rows, st.integers(1, 7), st.randoms(), st.booleans())
def test_any_order_of_the_rows_gives_the_same_chunks(
    given_rows: list[Any], size: int, chance: random.Random, hashed: bool
) -> None:
    shuffled = [*given_rows]
    chance.shuffle(shuffled)
    one = list(chunks_of(batch_of(given_rows, hashed=hashed), size))
    other = list(chunks_of(batch_of(shuffled, hashed=hashed), size))
    assert [chunk.digest for chunk in one] == [chunk.digest for chunk in other]
    assert [chunk.number for chunk in one] == list(range(-(-len(given_rows) // size)))
    assert all(len(chunk.rows) == size for chunk in one[:-1])
    kept = Counter(encoded(row) for chunk in one for row in chunk.rows)
    assert kept == Counter(map(encoded, given_rows))


@pytest.mark.parametrize(
    "different",
    [
        ((1,), ("1",)),
        ((1,), (1.0,)),
        ((1,), (True,)),
        ((0.0,), (-0.0,)),
        (("a", "b"), ("ab",)),
        (("",), (None,)),
        ((b"a",), ("a",)),
        (([1, 2],), ([[1], 2],)),
        (({"a": 1},), ([["a", 1]],)),
        ((Decimal("1.0"),), (Decimal("1"),)),
        ((date(2026, 1, 1),), (LOCAL,)),
        ((LOCAL,), (datetime(2026, 1, 1, tzinfo=UTC),)),
        ((timedelta(1),), (timedelta(2),)),
    ],
)
def test_different_rows_have_different_encodings(different: tuple[Any, Any]) -> None:
    one, other = different
    assert encoded(one) != encoded(other)


def test_equal_values_have_one_encoding() -> None:
    assert encoded([{"a": 1, "b": 2}]) == encoded([{"b": 2, "a": 1}])
    assert encoded([math.nan]) == encoded([-math.nan])
    here = datetime(2026, 1, 1, 3, tzinfo=timezone(timedelta(hours=3)))
    assert encoded([here]) == encoded([datetime(2026, 1, 1, tzinfo=UTC)])


def test_what_has_no_canonical_form_is_refused() -> None:
    with pytest.raises(RefusedError, match="a value of type object has no canonical form"):
        list(chunks_of(batch_of([(1, object())]), 2))
    deep: list[Any] = []
    for _ in range(2_000):
        deep = [deep]
    with pytest.raises(RefusedError, match="nested deeper"):
        list(chunks_of(batch_of([(1, deep)]), 2))


def test_columns_are_part_of_a_digest() -> None:
    (one,) = chunks_of(batch_of([(1, 2)]), 5)
    (other,) = chunks_of(batch_of([(1, 2)], columns=("b", "a")), 5)
    assert one.digest != other.digest


def test_a_token_is_stable_and_names_all_it_is_made_of() -> None:
    made = {"query_id": "q", "sink": "s", "batch_id": 7, "chunk": 0, "digest": "ab"}
    token = Token(**made)
    # Never change: a token that was sent before an upgrade must be the same after it.
    assert token.text == str(token) == "hf1-fr42xxzyavdlj7kgfszgtdu4mafm5shh"
    assert len(token.text) == 36 and token.text.isascii()
    others = {"query_id": "r", "sink": "t", "batch_id": 8, "chunk": 1, "digest": "ac"}
    texts = {Token(**{**made, name: value}).text for name, value in others.items()}
    assert len(texts | {token.text}) == 6
