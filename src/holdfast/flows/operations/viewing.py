"""What every planner starts from: one look at the checkpoint, its sink and its sources."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast import __version__
from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.places.opening import open_place
from holdfast.adapters.records.opening import open_records
from holdfast.core.fact import Known
from holdfast.core.limits import LOG_BYTES_MAX
from holdfast.core.plans.hazard import HAZARDS
from holdfast.core.plans.plan import Hazard, Leaves, OperationName, Plan
from holdfast.core.plans.requirement import EpochIs, NewestIs, Requirement
from holdfast.core.plans.step import Create, FileMark, PutAside, Step
from holdfast.core.running.lease import FOLDER, newest_number
from holdfast.errors import GuardedError, RefusedError, UnreachableError, UsageError
from holdfast.flows.evidence import Asked, Taken, take_look


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One look, and what a planner needs of it."""

    taken: Taken
    epoch: int
    """The newest of the lease, 0 where nobody ever held it."""
    accepted: frozenset[str]
    """Codes of hazards that somebody accepts."""

    @property
    def place(self) -> str:
        """Where the checkpoint is."""
        return self.taken.storage.location

    @property
    def query_id(self) -> str | None:
        """As `metadata` says it."""
        known = self.taken.evidence.query_id
        return known.value if isinstance(known, Known) else None

    @property
    def name(self) -> str:
        """The job, or the location: what the next command is about."""
        return self.taken.job.name if self.taken.job else self.place

    def read(self, name: str) -> bytes:
        """One small file of the checkpoint; raises where it cannot be had."""
        content = self.taken.storage.read([name], LOG_BYTES_MAX)[name]
        if isinstance(content, bytes):
            return content
        reason = content.message if content else "it is not there"
        raise UnreachableError(reason, subject=f"{self.place}/{name}", next_action="holdfast show")

    def marks(self, names: Sequence[str]) -> tuple[FileMark, ...]:
        """Files as they are now; raises where one of them is gone meanwhile."""
        found = open_place(self.place).marks(names)
        gone = [name for name in names if name not in found]
        if gone:
            raise RefusedError(
                f"{gone[0]} went away while the plan was made: a query is running",
                subject=self.place,
                next_action="stop the query, then make the plan again",
            )
        return tuple(found[name] for name in names)

    def put_aside(self, names: Sequence[str], says: str) -> tuple[PutAside, ...]:
        """A step that puts these files aside; none where there are none."""
        if not names:
            return ()
        return (PutAside(place=self.place, files=self.marks(sorted(names)), says=says),)

    def create(self, name: str, data: bytes, says: str) -> Create:
        """A step that creates a file of the checkpoint."""
        return Create(place=self.place, name=name, data=data, says=says)

    def unchanged(self) -> tuple[Requirement, ...]:
        """What every plan requires: no batch was planned, none committed, no run begun."""
        evidence = self.taken.evidence
        return (
            NewestIs(place=self.place, log="offsets", newest=evidence.offsets.newest),
            NewestIs(place=self.place, log="commits", newest=evidence.commits.newest),
            EpochIs(number=self.epoch),
        )

    def leaves(self, last_batch: int | None, *, query_id: str | None = None) -> Leaves:
        """What the checkpoint is afterwards."""
        return Leaves(
            location=self.place, query_id=query_id or self.query_id, last_batch=last_batch
        )

    def plan(
        self,
        operation: OperationName,
        steps: Iterable[Step],
        *,
        leaves: Leaves,
        hazards: Iterable[Hazard] = (),
        requirements: Iterable[Requirement] = (),
        **more: object,
    ) -> Plan:
        """A plan of these steps; refused where a hazard is not accepted by name."""
        met = tuple(hazards)
        for hazard in met:
            if hazard.code not in self.accepted:
                raise GuardedError(
                    hazard.code,
                    hazard.message,
                    f"read it, and where that is what you want: --accept {hazard.code}",
                )
        return Plan(
            operation=operation,
            target=self.place,
            job=self.taken.job.name if self.taken.job else None,
            query_id=self.query_id,
            made_at_ms=now_ms(),
            made_by=__version__,
            steps=tuple(steps),
            requirements=(*self.unchanged(), *requirements),
            leaves=leaves,
            accepted=met,
            **more,  # type: ignore[arg-type] # fields of Plan, by name
        )


def view(asked: Asked, accepted: Iterable[str] = ()) -> View:
    """Look at a checkpoint that an operation is to be planned for; touches nothing."""
    unknown = sorted(set(accepted) - HAZARDS.keys())
    if unknown:
        known = ", ".join(HAZARDS)
        raise UsageError(f"{unknown[0]} is no hazard of a plan", next_action=f"one of {known}")
    taken = take_look(asked, ThisMachine())
    records = open_records(taken.storage.location)
    number = newest_number(records.names(FOLDER), records.location)
    return View(taken=taken, epoch=number, accepted=frozenset(accepted))
