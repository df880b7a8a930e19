"""Where checkpoints lie: whether records can be written there, its clock, the room that is left."""

from dataclasses import dataclass
from typing import Final

from holdfast.core.doctor.check import Check, fine, skipped

SKEW_SECONDS_MAX: Final = 60
"""A store may round to seconds, and a request may take some; nobody minds a minute in a history."""
FREE_BYTES_MIN: Final = 1 << 30
"""A state of some size and its snapshots take this within hours."""
_GIB: Final = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What became of a small file that was created, read and removed beside one checkpoint."""

    job: str
    failure: str = ""
    """Why it could not be; empty where it could."""
    next_action: str = ""
    not_installed: bool = False
    """Whether it failed for want of a library."""
    is_exclusive: bool = True
    """Whether a second one under the same name was refused."""
    skew_ms: int | None = None
    """How far the store's clock is ahead of ours; None where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseFact:
    """One folder with checkpoints of one or more jobs."""

    location: str
    """As it may be shown."""
    probes: tuple[Probe, ...]
    free_bytes: int | None = None
    """None where it is no local disk."""
    skipped: str = ""
    """Why nothing was tried; empty where it was."""


def judge_base(fact: BaseFact) -> tuple[Check, ...]:
    """Write access, clock and room of one base."""
    if fact.skipped:
        return (skipped("base", fact.skipped, fact.location),)
    failed = [probe for probe in fact.probes if probe.failure]
    if failed:
        return (*(_failure(fact, probe) for probe in _distinct(failed)), *_room(fact))
    shared = [probe.job for probe in fact.probes if not probe.is_exclusive]
    if shared:
        return (
            Check(
                name="base",
                status="error",
                code="HF518",
                subject=fact.location,
                found="a second file was taken under the same name: no lease is safe here",
                fix=("keep checkpoints on a store with conditional puts",),
            ),
        )
    jobs = ", ".join(probe.job for probe in fact.probes)
    return (
        fine("base", f"can be written to, for {jobs}", fact.location),
        _clock(fact),
        *_room(fact),
    )


def _distinct(probes: list[Probe]) -> list[Probe]:
    """One probe for each reason: what is wrong with a base is wrong for all of its jobs."""
    return list({(probe.failure, probe.next_action): probe for probe in probes}.values())


def _failure(fact: BaseFact, probe: Probe) -> Check:
    same = [p.job for p in fact.probes if p.failure == probe.failure]
    return Check(
        name="base",
        status="error",
        code="HF505" if probe.not_installed else "HF511",
        subject=fact.location,
        found=f"{probe.failure} ({', '.join(same)})",
        fix=(probe.next_action,) if probe.next_action else (),
    )


def _clock(fact: BaseFact) -> Check:
    known = [probe.skew_ms for probe in fact.probes if probe.skew_ms is not None]
    if not known:
        return skipped("clock", "the store does not say when it wrote a file", fact.location)
    skew = max(known, key=abs)
    seconds = round(abs(skew) / 1000)
    if seconds <= SKEW_SECONDS_MAX:
        return fine(
            "clock", f"the store's and ours agree within {SKEW_SECONDS_MAX} s", fact.location
        )
    side = "ahead of" if skew > 0 else "behind"
    return Check(
        name="clock",
        status="warning",
        code="HF512",
        subject=fact.location,
        found=(
            f"the store's clock is {seconds:,} s {side} ours, and so are times in the history; "
            "the lease compares no clocks"
        ),
        fix=("timedatectl set-ntp true",),
    )


def _room(fact: BaseFact) -> tuple[Check, ...]:
    if fact.free_bytes is None:
        return ()
    told = f"{fact.free_bytes / _GIB:,.1f} GiB free"
    if fact.free_bytes >= FREE_BYTES_MIN:
        return (fine("space", told, fact.location),)
    return (
        Check(
            name="space",
            status="warning",
            code="HF513",
            subject=fact.location,
            found=f"{told}: a full disk stops a query in the middle of a batch",
            fix=("make room on this disk",),
        ),
    )
