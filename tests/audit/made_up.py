"""Audits that nobody ran, to see how they are told."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.audit.audit import Audited
from holdfast.core.crash.comparison import Comparison
from holdfast.core.crash.operation import CallName
from holdfast.core.crash.outcome import Outcome, OutcomeKind, judge_outcomes
from holdfast.core.crash.place import Area
from holdfast.core.crash.point import Key, Point
from holdfast.core.crash.scope import Scope, Versions
from holdfast.core.microbatch import CrashPoint

PER_BATCH: tuple[CrashPoint, ...] = ("K1", "K2", "K3", "K5", "K6", "K6", "K7", "K9", "K10", "K11")
BATCHES = 3
DECLARED = Scope(
    sink="sqlite upsert",
    versions=Versions(holdfast="0.1.0", python="3.12.3", spark="4.2.0", java="17.0.12"),
    sees_halves=True,
)
FOREIGN = Scope(sink="output read as sqlite", versions=Versions(holdfast="0.1.0"))


OPERATIONS: dict[CrashPoint, tuple[Area, CallName, str]] = {
    "K0": ("checkpoint", "create", "metadata"),
    "K1": ("checkpoint", "create", "offsets/.{batch}.*.tmp"),
    "K2": ("checkpoint", "rename", "offsets/{batch}"),
    "K3": ("checkpoint", "rename", "offsets/.{batch}.crc"),
    "K5": ("checkpoint", "create", "state/0/0/{batch}.delta"),
    "K6": ("output", "create", "-journal"),
    "K7": ("output", "unlink", "-journal"),
    "K9": ("checkpoint", "create", "commits/.{batch}.*.tmp"),
    "K10": ("checkpoint", "rename", "commits/{batch}"),
    "K11": ("checkpoint", "rename", "commits/.{batch}.crc"),
}


def point(number: int, stage: CrashPoint, batch: int, name: str | None = None) -> Point:
    area, call, usual = OPERATIONS.get(stage, ("checkpoint", "create", "state/{batch}"))
    called = usual.format(batch=batch) if name is None else name
    key = Key(area=area, call=call, name=called, batch=batch, nth=1)
    return Point(number=number, stage=stage, batch=batch, key=key)


def points(stages: Sequence[CrashPoint] = PER_BATCH, batches: int = BATCHES) -> tuple[Point, ...]:
    """Two before the first batch, then the stages of each."""
    places: list[tuple[CrashPoint, int]] = [("K0", -1), ("K0", -1)]
    places += [(stage, batch) for batch in range(batches) for stage in stages]
    return tuple(
        point(number, stage, batch) for number, (stage, batch) in enumerate(places, start=1)
    )


def rows(
    *, lost: int = 0, duplicated: int = 0, changed: int = 0, unexpected: int = 0
) -> Comparison:
    return Comparison(
        expected=100,
        found=100 - lost + duplicated + unexpected,
        lost=lost,
        duplicated=duplicated,
        changed=changed,
        unexpected=unexpected,
    )


def outcome(of: Point, kind: OutcomeKind = "exact", **more: object) -> Outcome:
    given: dict[str, object] = {"left": "it died while the commit was being written"}
    if kind in ("exact", "torn"):
        given["comparison"] = rows()
    return Outcome(point=of, kind=kind, **{**given, **more})  # type: ignore[arg-type]


def audited(
    special: Mapping[int, Outcome] = {},
    *,
    recorded: tuple[Point, ...] | None = None,
    tried: int | None = None,
    **more: object,
) -> Audited:
    """All points exact but the special ones; of the points, the first so many are tried."""
    every = points() if recorded is None else recorded
    chosen = every[:tried]
    outcomes = tuple(special.get(each.number, outcome(each)) for each in chosen)
    given: dict[str, object] = {
        "title": "sensor-merge-gold (sql, upsert)",
        "folder": "/data/audit/1",
        "points": every,
        "chosen": len(chosen),
        "batches": BATCHES,
        "rows": 100,
        "outcomes": outcomes,
        "kills": len(chosen),
        "starts": 2 * len(chosen) + 1,
        "seed": 7,
        "duration_ms": 552_000,
        "watched": None,
        "left_out": (),
        "verdict": judge_outcomes(outcomes, recorded=len(every)),
        "again": "holdfast audit sensor-merge-gold",
        "scope": DECLARED,
    }
    return Audited(**{**given, **more})  # type: ignore[arg-type]


def convicted() -> Audited:
    """A stock job: rows twice where it dies between the sink's commit and that of the batch."""
    every = points()
    bad = {
        each.number: outcome(
            each,
            "wrong",
            comparison=rows(duplicated=10),
            left="it died after the sink had been given the batch, before its commit",
            examples=('too much: customer="c-11", id=11', 'too much: customer="c-12", id=12'),
            folder=f"/data/audit/2/trial-{each.number}",
        )
        for each in every
        if each.stage in ("K9", "K10")
    }
    return audited(
        bad,
        title="python append_job.py {work}",
        folder="/data/audit/2",
        again="holdfast audit --command 'python append_job.py {work}' "
        "--checkpoint '{work}/checkpoint' --read 'sqlite:{work}/orders.db?table=orders'",
        scope=FOREIGN,
    )


def several_faults() -> Audited:
    """Each point killed, and given a full disk, with which one is stuck; some columns left out."""
    every = points()
    outcomes: list[Outcome] = []
    for each in every:
        kind: OutcomeKind = "stuck" if each.number == 9 else "exact"
        outcomes += [outcome(each), outcome(each, kind, fault="disk-full")]
    return audited(
        outcomes=tuple(outcomes),
        verdict=judge_outcomes(outcomes, recorded=len(every)),
        scope=replace(DECLARED, ignored=("note",), sees_halves=False),
        left_out=("at",),
        watched="no seccomp here",
    )
