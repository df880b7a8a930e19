"""The core of the lease: names, files, and the decision as a table."""

import json
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.running.lease import (
    BEAT_INTERVAL_S,
    LOST_AFTER_S,
    PACE,
    WATCH_S,
    Decision,
    Epoch,
    Holder,
    Pace,
    Watch,
    beat_name,
    decide,
    described,
    epoch_name,
    newest_number,
    read_beat,
    read_holder,
    released_name,
    write_beat,
    write_holder,
)
from holdfast.errors import MalformedError, NewerVersionError
from tests.lease.worlds import HOLDER

HELD = Epoch(number=4, holder=HOLDER, released=False)
FREED = replace(HELD, released=True)


def seen(first: int | None, last: int | None, seconds: float) -> Watch:
    return Watch(first=first, last=last, seconds=seconds)


STILL, MOVED = seen(7, 7, WATCH_S), seen(7, 8, 1.0)
TABLE: list[tuple[str, Epoch | None, bool, bool | None, Watch | None, Decision]] = [
    ("nobody ever", None, False, None, None, "take"),
    ("released", FREED, False, None, None, "take"),
    ("released, and its process goes on", FREED, True, True, None, "take"),
    ("released while its last beat is seen", FREED, False, None, MOVED, "take"),
    ("here and alive", HELD, True, True, None, "refuse"),
    ("here and alive, but stopped", HELD, True, True, STILL, "refuse"),
    ("here and dead", HELD, True, False, None, "take"),
    ("here and dead just after a beat", HELD, True, False, MOVED, "take"),
    ("here, cannot be told", HELD, True, None, None, "watch"),
    ("here, cannot be told, still", HELD, True, None, STILL, "take"),
    ("here, cannot be told, moved", HELD, True, None, MOVED, "refuse"),
    ("elsewhere, not looked yet", HELD, False, None, None, "watch"),
    ("elsewhere, a pid like its own is dead here", HELD, False, False, None, "watch"),
    ("elsewhere, a pid like its own is alive here", HELD, False, True, STILL, "take"),
    ("elsewhere, moved", HELD, False, None, MOVED, "refuse"),
    ("elsewhere, moved at the very end", HELD, False, None, seen(7, 8, WATCH_S), "refuse"),
    ("elsewhere, first beat appears", HELD, False, None, seen(None, 1, 1.0), "refuse"),
    ("elsewhere, beat became unreadable", HELD, False, None, seen(7, None, 1.0), "refuse"),
    ("elsewhere, counted from anew", HELD, False, None, seen(7, 1, 1.0), "refuse"),
    ("elsewhere, still, too short", HELD, False, None, seen(7, 7, WATCH_S - 0.1), "watch"),
    ("elsewhere, still", HELD, False, None, STILL, "take"),
    ("elsewhere, died before its first beat", HELD, False, None, seen(None, None, 99), "take"),
]


@pytest.mark.parametrize(
    ("newest", "here", "alive", "watch", "expected"), [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)  # fmt: skip
def test_decision(
    newest: Epoch | None, here: bool, alive: bool | None, watch: Watch | None, expected: Decision
) -> None:
    assert decide(newest, here=here, alive=alive, watch=watch) == expected


def test_a_held_lease_is_only_taken_on_proof() -> None:
    """Every combination: dead on this machine, or still for the whole watch."""
    counters = (None, 0, 1)
    watches = [None, *(seen(a, b, s) for a, b, s in product(counters, counters, (0.0, 29.9, 30.0)))]
    for here, alive, watch in product((True, False), (True, False, None), watches):
        proof = here and alive is False
        if not here or alive is None:
            proof = watch is not None and watch.first == watch.last and watch.seconds >= WATCH_S
        assert (decide(HELD, here=here, alive=alive, watch=watch) == "take") == proof


def test_the_pace_leaves_room() -> None:
    assert WATCH_S >= 3 * BEAT_INTERVAL_S
    assert BEAT_INTERVAL_S <= LOST_AFTER_S < WATCH_S
    assert PACE == Pace(beat_s=BEAT_INTERVAL_S, watch_s=WATCH_S, lost_s=LOST_AFTER_S)


@pytest.mark.parametrize("wrong", [(5, 14, 10), (5, 15, 15), (5, 15, 4), (0, 15, 10)])
def test_a_pace_without_room_is_refused(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="three beats"):
        Pace(beat_s=wrong[0], watch_s=wrong[1], lost_s=wrong[2])


def test_names() -> None:
    assert epoch_name(7) == "lease/00000000000000000007"
    assert beat_name(7) == "lease/00000000000000000007.beat"
    assert released_name(7) == "lease/00000000000000000007.released"


def test_the_newest_is_found_among_other_things() -> None:
    names = [f"{n:020d}" for n in (9, 10, 2)]
    others = [f"{11:020d}.beat", f"{12:020d}.released", "13", "", "x" * 20, "²" * 20, f"-{1:019d}"]
    assert newest_number(names + others, "dict:///r") == 10
    assert newest_number(others, "dict:///r") == 0


def test_an_epoch_beyond_all_is_refused() -> None:
    with pytest.raises(MalformedError) as caught:
        newest_number(["9" * 20], "dict:///r")
    assert caught.value.subject == f"dict:///r/lease/{'9' * 20}"
    assert caught.value.next_action


texts = st.text(max_size=20)
whole = st.integers(0, 2**62)
holders = st.builds(
    Holder, host=texts, place=texts, pid=whole, pid_started=whole, user=texts,
    started_ms=st.integers(0, 253_402_300_799_999), version=texts, run_id=texts,
)  # fmt: skip


@given(holders)
def test_what_is_written_is_read(holder: Holder) -> None:
    assert read_holder(write_holder(holder), "o") == holder
    assert described(3, holder)


@given(st.integers(0, 2**62))
def test_a_beat_that_is_written_is_read(counter: int) -> None:
    assert read_beat(write_beat(counter)) == counter


@given(st.binary(max_size=60))
def test_any_bytes_are_a_holder_or_a_clear_error(data: bytes) -> None:
    read_beat(data)
    with pytest.raises(MalformedError) as caught:
        read_holder(data, "dict:///r/lease/1")
    assert caught.value.subject == "dict:///r/lease/1"
    assert "--take-over" in caught.value.next_action


@pytest.mark.parametrize("field", ["host", "pid", "pid_started", "started_ms", "run_id", "format"])
def test_a_field_that_is_missing_or_of_another_kind_is_damage(field: str) -> None:
    values = json.loads(write_holder(HOLDER))
    for wrong in (None, [], True, 1.5):
        with pytest.raises(MalformedError, match=field):
            read_holder(json.dumps({**values, field: wrong}).encode(), "o")


@pytest.mark.parametrize("size", range(0, 60, 7))
def test_a_torn_file_is_damage(size: int) -> None:
    with pytest.raises(MalformedError, match="damaged"):
        read_holder(write_holder(HOLDER)[:size], "o")


def test_a_newer_format_is_said_to_be_so() -> None:
    values = {**json.loads(write_holder(HOLDER)), "format": 2}
    with pytest.raises(NewerVersionError) as caught:
        read_holder(json.dumps(values).encode(), "o")
    assert caught.value.next_action


def test_a_time_that_is_none_is_damage() -> None:
    for started_ms in (-1, 10**18):
        with pytest.raises(MalformedError):
            read_holder(write_holder(replace(HOLDER, started_ms=started_ms)), "o")


def test_a_holder_is_named() -> None:
    assert described(4, HOLDER) == "pid 10 on a (user u) since 2026-09-21 14:13:20 UTC, epoch 4"


def test_an_unknown_place_is_shared_with_nobody() -> None:
    assert HOLDER.shares_place(HOLDER)
    assert not replace(HOLDER, place="").shares_place(replace(HOLDER, place=""))
