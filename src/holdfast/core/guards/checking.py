"""All guards over a whole declaration."""

from collections.abc import Iterator

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.at_least_once import find_at_least_once
from holdfast.core.guards.data_location import find_data_locations
from holdfast.core.guards.data_loss_option import find_data_loss_options
from holdfast.core.guards.derived_location import find_derived_location
from holdfast.core.guards.local_location import find_local_location
from holdfast.core.guards.location import place_of
from holdfast.core.guards.nested_location import find_nested_locations
from holdfast.core.guards.shared_location import find_shared_locations
from holdfast.core.guards.temporary_location import find_temporary_location
from holdfast.core.guards.weaker_guarantee import find_weaker_guarantees
from holdfast.core.job import Declaration


def check_locations(declaration: Declaration, master: str) -> tuple[GuardFinding, ...]:
    """Everything that is unsafe about the declared jobs, by code and then by job."""
    return tuple(sorted(_found(declaration, master), key=lambda finding: finding.code))


def _found(declaration: Declaration, master: str) -> Iterator[GuardFinding]:
    jobs = declaration.jobs
    for job in jobs:
        ours = place_of(f"{declaration.base}/{job.name}")
        yield from find_derived_location(job, given_by_hand=place_of(job.checkpoint) != ours)
        yield from find_temporary_location(job, master=master)
        yield from find_local_location(job, master=master)
        yield from find_data_loss_options(job, spark=declaration.spark)
        yield from find_weaker_guarantees(job)
        yield from find_at_least_once(job)
    yield from find_shared_locations(jobs)
    yield from find_nested_locations(jobs)
    yield from find_data_locations(jobs)
