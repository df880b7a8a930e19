"""Read what is written down about runs; a record that is damaged is said and hides nothing else."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from holdfast.core.fact import Fact, Unreadable
from holdfast.core.finding import Finding
from holdfast.core.recording.status import R, RunRecords, read_run_record
from holdfast.core.running.lease import EPOCH_MAX, Epoch, epoch_name, read_holder, released_name
from holdfast.core.running.lease import FOLDER as LEASE
from holdfast.core.running.ports import Records
from holdfast.core.running.run import RUNS, RunRestart, RunResult, RunStart, end_name, start_name
from holdfast.errors import HoldfastError

_READERS = 16
"""Records that are read together: a store answers each in 50 ms."""

_DIGITS = 20
_RESTARTS_MAX = 20
"""Restarts of one run that are read, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRuns:
    """Which runs there are records of, by names alone."""

    epochs: tuple[int, ...]
    """Every epoch that was taken or that ran, ascending."""
    restarts: Mapping[int, tuple[str, ...]]
    """Names of the records of restarts, by epoch, oldest first."""

    @property
    def newest(self) -> int | None:
        """The epoch that owns the checkpoint, None where there never was one."""
        return self.epochs[-1] if self.epochs else None


def list_runs(records: Records) -> KnownRuns:
    """Find out which runs there are; two listings."""
    ran = records.names(RUNS)
    numbers = {_epoch(name) for name in [*records.names(LEASE), *ran]}
    restarts: dict[int, list[str]] = {}
    for name in sorted(ran):
        epoch = _epoch(name)
        if epoch is not None and name.partition(".")[2].startswith("restart-"):
            restarts.setdefault(epoch, []).append(f"{RUNS}/{name}")
    return KnownRuns(
        epochs=tuple(sorted(number for number in numbers if number is not None)),
        restarts={epoch: tuple(names) for epoch, names in restarts.items()},
    )


def read_runs(records: Records, known: KnownRuns, epochs: Sequence[int]) -> list[RunRecords]:
    """The records of these runs, in the same order."""
    wanted = [(epoch, known.restarts.get(epoch, ())[-_RESTARTS_MAX:]) for epoch in epochs]
    if len(wanted) < 2:
        return [_read_run(records, *item) for item in wanted]
    with ThreadPoolExecutor(max_workers=_READERS) as pool:
        return list(pool.map(lambda item: _read_run(records, *item), wanted))


def read_epoch(records: Records, number: int) -> tuple[Epoch | None, tuple[Finding, ...]]:
    """Who took an epoch; None with a finding where its file is damaged."""
    name = epoch_name(number)
    try:
        data = records.read(name)
        if data is None:
            return None, ()
        holder = read_holder(data, f"{records.location}/{name}")
        released = records.read(released_name(number)) is not None
    except HoldfastError as error:
        return None, (Finding(code="HF129", message=error.message, path=name),)
    return Epoch(number=number, holder=holder, released=released), ()


def about_damage(run: RunRecords) -> list[Finding]:
    """A finding for each record of a run that cannot be read."""
    facts: list[Fact[RunStart] | Fact[RunResult] | Fact[RunRestart]] = [
        run.start,
        run.end,
        *run.restarts,
    ]
    return [
        Finding(code="HF129", message=fact.reason, path=fact.origin)
        for fact in facts
        if isinstance(fact, Unreadable)
    ]


def _read_run(records: Records, epoch: int, restarts: tuple[str, ...]) -> RunRecords:
    return RunRecords(
        epoch=epoch,
        start=_fact(records, RunStart, start_name(epoch)),
        end=_fact(records, RunResult, end_name(epoch)),
        restarts=tuple(_fact(records, RunRestart, name) for name in restarts),
    )


def _fact(records: Records, kind: type[R], name: str) -> Fact[R]:
    try:
        return read_run_record(kind, name, records.read(name))
    except HoldfastError as error:
        return Unreadable(name, error.message, error.code)


def _epoch(name: str) -> int | None:
    """The epoch that a record's name begins with, None where it is not one of ours."""
    number = name.partition(".")[0]
    if len(number) != _DIGITS or not number.isascii() or not number.isdigit():
        return None
    return int(number) if 0 < int(number) < EPOCH_MAX else None
