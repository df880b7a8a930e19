"""The lease as a whole, on every kind of records, with clocks and machines of the test."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.core.running.lease import (
    PACE,
    WATCH_S,
    Machine,
    beat_name,
    epoch_name,
    read_beat,
    released_name,
    write_beat,
    write_holder,
)
from holdfast.core.running.ports import Records
from holdfast.errors import (
    FencedError,
    LeaseHeldError,
    MalformedError,
    NewerVersionError,
    UnreachableError,
)
from holdfast.flows.lease import Lease, acquire, newest_epoch
from tests.lease.worlds import (
    HOLDER,
    QUICK,
    DictRecords,
    FakeClock,
    FakeMachine,
    elsewhere,
    unreachable,
)


def take(
    records: Records, machine: Machine, *, take_over: bool = False, clock: FakeClock | None = None
) -> Lease:
    clock = clock or FakeClock()
    return acquire(
        records,
        take_over=take_over,
        machine=machine,
        monotonic=clock.monotonic,
        sleep=clock.sleep,
    )


def until(true: Callable[[], bool]) -> None:
    limit = time.monotonic() + 10
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.005)


def test_first_second_and_after_release(checkpoint: str) -> None:
    here = FakeMachine(alive=True)
    with take(open_records(checkpoint), here) as first:
        assert first.epoch == 1
        first.check()
        with pytest.raises(LeaseHeldError) as caught:
            take(open_records(checkpoint), here)
        for part in ("pid 10", "on a", "since 2026-09-21 14:13:20 UTC", "alive"):
            assert part in caught.value.message
        assert "--take-over" in caught.value.next_action
        assert caught.value.exit_code == 3
    assert first.lost is None
    with take(open_records(checkpoint), here) as second:
        assert second.epoch == 2
    newest = newest_epoch(open_records(checkpoint))
    assert newest is not None
    assert (newest.number, newest.released) == (2, True)
    assert newest.holder == second.holder


def test_take_over_fences_the_old_holder(checkpoint: str) -> None:
    old = take(open_records(checkpoint), elsewhere("a"))
    new = take(open_records(checkpoint), elsewhere("b"), take_over=True)
    assert (old.epoch, new.epoch) == (1, 2)
    new.check()
    with pytest.raises(FencedError, match="taken over by pid 10 on b"):
        old.check()
    assert old.lost
    with pytest.raises(FencedError):
        old.check()
    assert old.release() is False
    assert open_records(checkpoint).read(released_name(1)) is None
    assert new.release() is True
    assert new.release() is False
    with pytest.raises(FencedError, match="given back"):
        new.check()


def test_a_holder_elsewhere_that_beats_is_left_alone() -> None:
    records = DictRecords()
    take(records, elsewhere("a")).release()
    del records.files[released_name(1)]
    clock = FakeClock()
    began_s = clock.now_s

    def beat(now_s: float) -> None:
        if now_s > began_s + 4.5:
            records.files[beat_name(1)] = write_beat(99)

    clock.meanwhile = beat
    with pytest.raises(LeaseHeldError, match="pid 10 on a"):
        take(records, elsewhere("b"), clock=clock)
    assert clock.now_s - began_s == pytest.approx(5.0)
    assert records.names("lease") == [epoch_name(1)[6:], beat_name(1)[6:]]


@pytest.mark.parametrize("beats", [None, b"", b"{", write_beat(7)])
def test_a_holder_elsewhere_that_is_silent_loses_after_the_watch(beats: bytes | None) -> None:
    records = DictRecords({epoch_name(1): write_holder(HOLDER)})
    if beats is not None:
        records.files[beat_name(1)] = beats
    clock = FakeClock()
    lease = take(records, elsewhere("b"), clock=clock)
    assert lease.epoch == 2
    assert WATCH_S <= clock.now_s - 1000 <= WATCH_S + 2
    lease.release()


def test_a_release_during_the_watch_ends_it() -> None:
    records = DictRecords({epoch_name(1): write_holder(HOLDER)})
    clock = FakeClock(meanwhile=lambda now_s: records.files.update({released_name(1): b""}))
    assert take(records, elsewhere("b"), clock=clock).release()
    assert clock.now_s - 1000 == pytest.approx(1.0)


def test_clocks_of_two_machines_are_not_compared() -> None:
    """Whenever the holder says that it started, the newcomer watches as long."""
    for started_ms in (0, HOLDER.started_ms, 253_402_300_799_999):
        holder = replace(HOLDER, started_ms=started_ms)
        records = DictRecords({epoch_name(1): write_holder(holder)})
        clock = FakeClock()
        take(records, elsewhere("b"), clock=clock).release()
        assert clock.now_s - 1000 == pytest.approx(WATCH_S)


def test_a_dead_process_of_this_machine_frees_at_once() -> None:
    records = DictRecords({epoch_name(1): write_holder(HOLDER), beat_name(1): write_beat(7)})
    clock = FakeClock()
    assert take(records, FakeMachine(alive=False), clock=clock).release()
    assert clock.now_s == 1000


def test_another_container_of_this_machine_is_not_judged_by_its_pid() -> None:
    """One boot, two pid namespaces: that the pid is not here says nothing."""
    records = DictRecords({epoch_name(1): write_holder(HOLDER)})
    neighbour = FakeMachine(replace(HOLDER, place="boot-a pid:[2]"), alive=False)
    clock = FakeClock(meanwhile=lambda now_s: records.files.update({beat_name(1): write_beat(1)}))
    with pytest.raises(LeaseHeldError):
        take(records, neighbour, clock=clock)


def test_a_newcomer_that_is_second_names_the_winner() -> None:
    records = DictRecords()

    def win(act: str, name: str) -> None:
        if act == "create":
            records.files.setdefault(epoch_name(1), write_holder(HOLDER))

    records.fault = win
    with pytest.raises(LeaseHeldError, match="quicker: held by pid 10 on a"):
        take(records, elsewhere("b"))


def test_an_unnamed_winner_is_a_winner() -> None:
    records = DictRecords()
    records.fault = lambda act, name: (
        records.files.update({name: b"{"}) if act == "create" else None
    )
    with pytest.raises(LeaseHeldError, match="does not name"):
        take(records, elsewhere("b"))


def test_a_create_whose_answer_was_lost_is_ours() -> None:
    records = DictRecords()

    def lose(act: str, name: str) -> None:
        if act == "created" and name == epoch_name(1):
            unreachable(act, name)

    records.fault = lose
    lease = take(records, elsewhere("a"))
    assert lease.epoch == 1
    lease.check()
    lease.release()


def test_a_create_that_failed_is_not_ours() -> None:
    records = DictRecords()
    records.fault = lambda act, name: unreachable(act, name) if act == "create" else None
    with pytest.raises(UnreachableError):
        take(records, elsewhere("a"))
    assert not records.files


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b"[]", write_holder(HOLDER)[:50]])
def test_a_damaged_lease_file_stops_everyone_until_taken_over(
    checkpoint: str, damage: bytes
) -> None:
    records = open_records(checkpoint)
    records.create(epoch_name(1), damage)
    for _ in range(2):
        with pytest.raises(MalformedError) as caught:
            take(records, elsewhere("b"))
        assert caught.value.code == "HF004"
        assert caught.value.subject == f"{records.location}/{epoch_name(1)}"
        assert "--take-over" in caught.value.next_action
    assert list(records.names("lease")) == [epoch_name(1).removeprefix("lease/")]
    lease = take(records, elsewhere("b"), take_over=True)
    assert lease.epoch == 2
    lease.release()


def test_a_lease_of_a_newer_holdfast_is_not_guessed_at() -> None:
    records = DictRecords({epoch_name(1): b'{"format": 2}'})
    with pytest.raises(NewerVersionError):
        take(records, elsewhere("b"))


def test_a_damaged_successor_fences_all_the_same() -> None:
    records = DictRecords()
    lease = take(records, elsewhere("a"))
    records.files[epoch_name(2)] = b""
    with pytest.raises(FencedError, match="epoch 2"):
        lease.check()


def test_a_check_that_gets_no_answer_raises_and_the_lease_lives_on() -> None:
    records = DictRecords()
    lease = take(records, elsewhere("a"))
    records.fault = unreachable
    with pytest.raises(UnreachableError):
        lease.check()
    records.fault = lambda act, name: None
    lease.check()
    assert lease.release()


def test_a_release_that_gets_no_answer_is_said() -> None:
    records = DictRecords()
    with take(records, elsewhere("a")) as lease:
        records.fault = unreachable
        assert lease.release() is False


def quick(records: Records) -> Lease:
    return acquire(
        records,
        machine=elsewhere("a"),
        monotonic=time.monotonic,
        sleep=time.sleep,
        pace=QUICK,
    )


def test_the_thread_renews(checkpoint: str) -> None:
    records = open_records(checkpoint)
    with quick(records):
        until(lambda: (read_beat(records.read(beat_name(1))) or 0) >= 3)
    beats = read_beat(records.read(beat_name(1)))
    time.sleep(0.1)
    assert read_beat(records.read(beat_name(1))) == beats


def test_the_thread_finds_a_successor_by_itself() -> None:
    records = DictRecords()
    with quick(records) as lease:
        assert lease.lost is None
        records.files[epoch_name(2)] = write_holder(HOLDER)
        until(lambda: lease.lost is not None)
        assert "taken over by pid 10 on a" in (lease.lost or "")
        until(lambda: not lease._thread.is_alive())


def test_a_short_silence_is_borne_and_a_long_one_is_not() -> None:
    records = DictRecords()
    with quick(records) as lease:
        until(lambda: beat_name(1) in records.files)
        records.fault = unreachable
        time.sleep(0.05)
        records.fault = lambda act, name: None
        time.sleep(0.1)
        assert lease.lost is None
        records.fault = unreachable
        until(lambda: lease.lost is not None)
        assert "no renewal" in (lease.lost or "")
        records.fault = lambda act, name: None
        with pytest.raises(FencedError, match="no renewal"):
            lease.check()


def test_whatever_goes_wrong_in_the_thread_stays_there() -> None:
    records = DictRecords()

    def burst(act: str, name: str) -> None:
        if threading.current_thread().name == "holdfast-lease":
            raise RuntimeError("anything")

    records.fault = burst
    with quick(records) as lease:
        lease.check()
        until(lambda: lease.lost is not None)


def test_two_live_ones_elsewhere_at_real_pace_of_the_test() -> None:
    """A newcomer on another machine watches a holder whose thread really beats."""
    records = DictRecords()
    with quick(records), pytest.raises(LeaseHeldError):
        acquire(
            records,
            machine=elsewhere("b"),
            monotonic=time.monotonic,
            sleep=time.sleep,
            pace=QUICK,
        )


def test_the_thread_does_not_keep_a_process_alive() -> None:
    with quick(DictRecords()) as lease:
        assert lease._thread.daemon
    assert PACE.beat_s == 5
