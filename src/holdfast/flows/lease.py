"""Taking, renewing and giving back the lease of a checkpoint.

with acquire(open_records(checkpoint), machine=ThisMachine(),
             monotonic=time.monotonic, sleep=time.sleep) as lease:
    sink.open(query_id, lease.epoch)
    ...
    lease.check()       # before every commit
"""

from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread
from types import TracebackType

from holdfast.core.running.lease import (
    FOLDER,
    PACE,
    Epoch,
    Holder,
    Machine,
    Pace,
    Watch,
    beat_name,
    decide,
    described,
    engine_name,
    epoch_name,
    newest_number,
    read_beat,
    read_holder,
    released_name,
    write_beat,
    write_holder,
)
from holdfast.core.running.ports import Records
from holdfast.errors import FencedError, HoldfastError, LeaseHeldError, UnreachableError

_JOIN_S = 10.0
"""How long a release waits for a renewal that is under way; then it goes on without."""

_LOOKS_PER_WATCH = 30
"""How often a newcomer looks at the beats of a holder before it calls it dead."""


class Lease:
    """An epoch that this process holds and a thread renews; made by acquire().

    The thread raises nothing into the query: it marks the lease as lost, which `lost` and `check`
    then say.
    """

    def __init__(
        self, records: Records, epoch: Epoch, *, monotonic: Callable[[], float], pace: Pace
    ) -> None:
        """Begin to renew."""
        self._records = records
        self._epoch = epoch
        self._monotonic = monotonic
        self._pace = pace
        self._lost: str | None = None
        self._released = False
        self._stop = Event()
        self._renewed_s = monotonic()
        self._thread = Thread(target=self._renew, name="holdfast-lease", daemon=True)
        self._thread.start()

    @property
    def epoch(self) -> int:
        """The number with which sinks are fenced; higher than any that was held before."""
        return self._epoch.number

    @property
    def holder(self) -> Holder:
        """This process, as it signed the epoch."""
        return self._epoch.holder

    @property
    def lost(self) -> str | None:
        """Why this process must stop, None while it need not; no request is made for it.

        Set at most one beat after a higher epoch appeared, and when no renewal has reached the
        store for too long. Once lost, a lease stays lost.
        """
        return self._lost

    def check(self) -> None:
        """Ask the store, with one request, whether this epoch is still the highest.

        Raises FencedError where it is not, where the lease was lost before, and after release;
        UnreachableError where the store gives no answer. After either nothing may be committed.
        """
        if self._lost is None and not self._released:
            self._look_for_successor()
        reason = "the lease has been given back" if self._released else self._lost
        if reason is not None:
            raise FencedError(
                reason,
                subject=self._records.location,
                next_action="let this process end: it must write nothing more",
            )

    def share(self, engine: Holder) -> None:
        """Sign the process that runs the queries, before the first of them starts.

        Spark's Java process outlives a killed Python for a moment, and may still write: a newcomer
        on this machine waits until both are gone.
        """
        self._records.create(engine_name(self.epoch), write_holder(engine))

    def release(self) -> bool:
        """Stop renewing and note the clean end, so that the next start need not wait.

        True where that was noted. False where the lease is lost or the store gives no answer; the
        next start then finds out by itself that nobody renews. Calling it again does nothing.
        """
        self._stop.set()
        self._thread.join(_JOIN_S)
        if self._released or self._lost is not None:
            return False
        self._released = True
        try:
            return self._records.create(released_name(self.epoch), write_holder(self.holder))
        except HoldfastError:
            return False

    def __enter__(self) -> "Lease":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def _renew(self) -> None:
        beats = 0
        while self._lost is None and not self._stop.is_set():
            beats += 1
            self._beat(beats)
            self._stop.wait(self._pace.beat_s)

    def _beat(self, beats: int) -> None:
        began_s = self._monotonic()
        try:
            self._look_for_successor()
            if self._lost is None:
                self._records.replace(beat_name(self.epoch), write_beat(beats))
                self._renewed_s = began_s
        except Exception as error:  # noqa: BLE001 - whatever it was, the beat was not renewed
            silent_s = self._monotonic() - self._renewed_s
            if silent_s > self._pace.lost_s:
                self._lost = f"no renewal has reached the store for {silent_s:.0f} s ({error})"

    def _look_for_successor(self) -> None:
        number = self.epoch + 1
        data = self._records.read(epoch_name(number))
        if data is not None:
            self._lost = f"epoch {self.epoch} has been taken over by {_whose(number, data)}"


def acquire(
    records: Records,
    *,
    take_over: bool = False,
    machine: Machine,
    monotonic: Callable[[], float],
    sleep: Callable[[float], None],
    pace: Pace = PACE,
    purpose: str = "",
) -> Lease:
    """Take the next epoch of a checkpoint and begin to renew it.

    Returns at once where nobody holds the lease, where it was released, where its holder's process
    on this machine has ended, or with `take_over`. Where the holder is elsewhere it watches the
    beats, for at most `pace.watch_s`. Raises LeaseHeldError, which names the holder, where it lives
    or another newcomer was quicker; MalformedError where the newest lease file is damaged;
    UnreachableError where the store gives no answer.
    """
    number = newest_number(records.names(FOLDER), records.location)
    if number and not take_over:
        _wait_for(records, number, machine, monotonic, sleep, pace)
    holder = replace(machine.me(), purpose=purpose)
    epoch = Epoch(number=number + 1, holder=holder, released=False)
    _create(records, epoch)
    return Lease(records, epoch, monotonic=monotonic, pace=pace)


def newest_but_of(records: Records, number: int, purpose: str) -> int:
    """The newest epoch up to `number` that was taken for something else; 0 where there is none."""
    while number and _read_epoch(records, number).holder.purpose == purpose:
        number -= 1
    return number


def newest_epoch(records: Records) -> Epoch | None:
    """Who took the newest epoch, alive or not; None where nobody ever did. Read-only."""
    number = newest_number(records.names(FOLDER), records.location)
    return _read_epoch(records, number) if number else None


def wait_until_free(
    records: Records,
    *,
    machine: Machine,
    monotonic: Callable[[], float],
    sleep: Callable[[float], None],
    pace: Pace = PACE,
) -> None:
    """Return once nobody holds the lease, without taking it; raises as acquire() does."""
    number = newest_number(records.names(FOLDER), records.location)
    if number:
        _wait_for(records, number, machine, monotonic, sleep, pace)


def _wait_for(
    records: Records,
    number: int,
    machine: Machine,
    monotonic: Callable[[], float],
    sleep: Callable[[float], None],
    pace: Pace,
) -> None:
    """Return once the epoch's holder is known to be gone; raise LeaseHeldError where it lives."""
    newest = _read_epoch(records, number)
    here = newest.holder.shares_place(machine.me())
    first: int | None = None
    began_s: float | None = None
    while True:
        alive = machine.is_alive(newest.holder) if here else None
        now_s = monotonic()
        beats = read_beat(records.read(beat_name(number)))
        if began_s is None:
            first, began_s = beats, monotonic()
        watch = Watch(first=first, last=beats, seconds=max(0.0, now_s - began_s))
        decision = decide(newest, here=here, alive=alive, watch=watch, pace=pace)
        if decision == "take" and not newest.released and here:
            engine = _living_engine(records, number, machine)
            if engine is not None and watch.seconds >= pace.watch_s:
                raise _held(records, f"its process has ended, but not that of Spark, pid {engine}")
            decision = "take" if engine is None else "watch"
        if decision == "take":
            return
        if decision == "refuse":
            raise _held(records, f"held by {described(number, newest.holder)}, which is alive")
        sleep(pace.watch_s / _LOOKS_PER_WATCH)
        newest = replace(newest, released=_is_released(records, number))


def _living_engine(records: Records, number: int, machine: Machine) -> int | None:
    """The pid of the process that runs the epoch's queries, where it still lives."""
    name = engine_name(number)
    data = records.read(name)
    if data is None:
        return None
    engine = read_holder(data, f"{records.location}/{name}")
    return engine.pid if machine.is_alive(engine) is not False else None


def _create(records: Records, epoch: Epoch) -> None:
    """Create an epoch's file; LeaseHeldError where another was quicker."""
    data = write_holder(epoch.holder)
    name = epoch_name(epoch.number)
    try:
        if records.create(name, data):
            return
        found = records.read(name)
    except UnreachableError:
        # The request may have gone through although its answer did not: nobody else has our run id.
        if records.read(name) == data:
            return
        raise
    if found != data:
        whose = _whose(epoch.number, found or b"")
        raise _held(records, f"another start was quicker: held by {whose}")


def _read_epoch(records: Records, number: int) -> Epoch:
    name = epoch_name(number)
    data = records.read(name)
    if data is None:
        raise UnreachableError(
            "the lease file was listed and is gone",
            subject=f"{records.location}/{name}",
            next_action="start again",
        )
    return Epoch(
        number=number,
        holder=read_holder(data, f"{records.location}/{name}"),
        released=_is_released(records, number),
    )


def _is_released(records: Records, number: int) -> bool:
    return records.read(released_name(number)) is not None


def _held(records: Records, message: str) -> LeaseHeldError:
    return LeaseHeldError(
        message,
        subject=records.location,
        next_action="stop that process, or, if you are sure that it is dead, "
        "`holdfast run --take-over`",
    )


def _whose(number: int, data: bytes) -> str:
    try:
        return described(number, read_holder(data, epoch_name(number)))
    except HoldfastError:
        return f"a holder that its lease file does not name, epoch {number}"
