"""What our records remember of the sources of a job: where they are, and which ones they were."""

from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.adapters.sources.kafka_place import SERVERS
from holdfast.core.fact import Absent, Fact, Known, Unreadable
from holdfast.core.job import SourceSpec
from holdfast.core.recording.segment import SEALS
from holdfast.core.running.fingerprint import SourcePrint, decode_sources
from holdfast.core.running.ports import Records
from holdfast.core.running.run import RUNS, RunResult, decode_record
from holdfast.core.secret_text import HIDDEN

_RUNS_READ_MAX = 20
"""Runs that are looked at, the newest; most have an identity, and have finished a batch."""

_END, _PRINT = ".end", ".fingerprint"
_ORIGIN = "the fingerprints of runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The sources of the last run that finished a batch, by their place in the plan."""

    prints: tuple[SourcePrint, ...] = ()
    origin: str = _ORIGIN

    def identity(self, position: int) -> Fact[str]:
        """Which source it was that the stored position comes from."""
        for each in self.prints:
            if each.position == position and each.identity is not None:
                return Known(each.identity, self.origin)
            if each.position == position and each.identity_problem:
                return Unreadable(self.origin, each.identity_problem, "HF007")
        return Absent(self.origin)

    def spec(self, position: int) -> SourceSpec | None:
        """Where the source is; None where the record hides it or does not say."""
        found = next((each for each in self.prints if each.position == position), None)
        if found is None:
            return None
        options = {
            name: str(value)
            for name, value in found.options.items()
            if isinstance(value, str | int) and not _is_hidden(str(value))
        }
        path = options.pop("path", None)
        has_place = path is not None or SERVERS in options
        if not has_place:
            return None
        # With a user that the record hides, nothing could be asked; better to say so.
        if any(_is_hidden(str(value)) for value in found.options.values()):
            return None
        return SourceSpec(format=found.provider, path=path, schema=None, options=options, job=None)


def remember_sources(records: Records) -> Remembered:
    """Read fingerprints, newest first, up to one whose run finished a batch.

    A run that finished none has left the positions of an earlier one. Where no run is known to
    have finished one, the oldest of those that were read counts: the position is not younger.
    """
    runs = set(records.names(RUNS))
    names = sorted((name for name in runs if name.endswith(_PRINT)), reverse=True)[:_RUNS_READ_MAX]
    sealed = {name.partition("-")[0] for name in records.names(SEALS)} if names else set()
    latest = Remembered()
    for name, prints in _prints(records, names):
        epoch = name.removesuffix(_PRINT)
        latest = Remembered(prints=prints, origin=f"{RUNS}/{name}")
        if epoch in sealed or _finished_a_batch(records, epoch, runs):
            break
    return latest


def _prints(records: Records, names: list[str]) -> Iterator[tuple[str, tuple[SourcePrint, ...]]]:
    for name in names:
        data = records.read(f"{RUNS}/{name}")
        prints = decode_sources(data) if data is not None else None
        if prints is not None:
            yield name, prints


def _finished_a_batch(records: Records, epoch: str, runs: set[str]) -> bool:
    if f"{epoch}{_END}" not in runs:
        return False
    data = records.read(f"{RUNS}/{epoch}{_END}")
    end = decode_record(RunResult, data) if data is not None else None
    return end is not None and isinstance(end.batches, int) and end.batches > 0


def _is_hidden(text: str) -> bool:
    return HIDDEN in text or "${" in text
