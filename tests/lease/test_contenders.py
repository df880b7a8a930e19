"""Any number of contenders in any order: never two with one epoch, and epochs strictly rise."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from holdfast.core.running.lease import WATCH_S, Holder, beat_name, read_beat, write_beat
from holdfast.errors import FencedError, HoldfastError, LeaseHeldError, UnreachableError
from holdfast.flows.lease import Lease, acquire
from tests.lease.worlds import HOLDER, DictRecords, FakeClock, FakeMachine, unreachable

HOSTS = ("a", "b", "c")


class _World(FakeMachine):
    """A process whose machine knows which processes of its host are alive."""

    def __init__(self, host: str, pid: int, alive: set[int]) -> None:
        super().__init__(replace(HOLDER, host=host, place=f"boot-{host}", pid=pid))
        self._living = alive

    def is_alive(self, holder: Holder) -> bool | None:
        return holder.pid in self._living


class Contenders(RuleBasedStateMachine):
    """Starts, kills, pauses, releases, take-overs and outages of one checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.records = DictRecords()
        self.alive: set[int] = set()
        self.paused: set[int] = set()
        self.leases: dict[int, Lease] = {}
        self.given: list[int] = []
        self.pid = 0

    def _beat_all(self, now_s: float) -> None:
        """Renew for each process that runs, as its thread would."""
        for pid, lease in self.leases.items():
            if pid in self.alive and pid not in self.paused:
                name = beat_name(lease.epoch)
                beats = read_beat(self.records.files.get(name)) or 0
                self.records.files[name] = write_beat(beats + 1)

    @rule(host=st.sampled_from(HOSTS), take_over=st.booleans(), lost_answer=st.booleans())
    def start(self, host: str, take_over: bool, lost_answer: bool) -> None:
        self.pid += 1
        clock = FakeClock(meanwhile=self._beat_all)
        if lost_answer:
            self.records.fault = self._lose_the_answer
        living = self._running()
        try:
            lease = acquire(
                self.records,
                take_over=take_over,
                machine=_World(host, self.pid, self.alive),
                monotonic=clock.monotonic,
                sleep=clock.sleep,
            )
        except LeaseHeldError as error:
            assert not take_over
            assert f"pid {max(self.leases)} on " in error.message
            return
        finally:
            self.records.fault = lambda act, name: None
        assert take_over or not living, "a living, renewing holder lost its lease"
        lease._stop.set()
        assert lease.epoch == max(self.given, default=0) + 1
        self.given.append(lease.epoch)
        self.leases[self.pid] = lease
        self.alive.add(self.pid)
        assert clock.now_s - 1000 <= WATCH_S + 2

    def _lose_the_answer(self, act: str, name: str) -> None:
        if act == "created":
            unreachable(act, name)

    def _running(self) -> bool:
        """Whether the newest holder runs, renews, and has not given the lease back."""
        newest = max(self.leases, default=0)
        if newest not in self.alive or newest in self.paused:
            return False
        return not self.leases[newest]._released

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def kill(self, data: st.DataObject) -> None:
        pid = data.draw(st.sampled_from(sorted(self.alive)))
        self.alive.discard(pid)
        self.paused.discard(pid)

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def pause_or_go_on(self, data: st.DataObject) -> None:
        self.paused ^= {data.draw(st.sampled_from(sorted(self.alive)))}

    @precondition(lambda self: self.alive - self.paused)
    @rule(data=st.data(), outage=st.booleans())
    def release(self, data: st.DataObject, outage: bool) -> None:
        pid = data.draw(st.sampled_from(sorted(self.alive - self.paused)))
        if outage:
            self.records.fault = unreachable
        self.leases[pid].release()
        self.records.fault = lambda act, name: None
        self.alive.discard(pid)

    @precondition(lambda self: self.alive)
    @rule()
    def outage(self) -> None:
        self.records.fault = unreachable
        for pid in self.alive:
            try:
                self.leases[pid].check()
            except (FencedError, UnreachableError):
                continue
            raise AssertionError("a check without an answer let a commit through")
        self.records.fault = lambda act, name: None

    @invariant()
    def no_epoch_was_given_twice(self) -> None:
        assert self.given == list(range(1, len(self.given) + 1))

    @invariant()
    def only_the_highest_passes_the_check(self) -> None:
        passing = []
        for pid in self.alive:
            try:
                self.leases[pid].check()
            except HoldfastError:
                continue
            passing.append(self.leases[pid].epoch)
        assert len(passing) <= 1
        assert all(epoch == max(self.given) for epoch in passing)

    def teardown(self) -> None:
        for lease in self.leases.values():
            lease._stop.set()


TestContenders = Contenders.TestCase
TestContenders.settings = settings(max_examples=150, stateful_step_count=25)
