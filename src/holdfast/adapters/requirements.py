"""Looking whether what a plan has looked at is still so."""

from typing import assert_never

from holdfast.adapters.memories.opening import read_memory
from holdfast.adapters.storage.opening import open_storage
from holdfast.core.fact import Known, Unreadable
from holdfast.core.formats.log_name import split_batch_ids
from holdfast.core.plans.ports import OpenPlace
from holdfast.core.plans.requirement import EpochIs, FileIs, NewestIs, Requirement, SinkIs
from holdfast.errors import UnreachableError


def what_changed(requirement: Requirement, open_place: OpenPlace, epoch: int) -> str | None:
    """What no longer holds, in words; None where it does. `epoch` is the newest of the lease."""
    match requirement:
        case FileIs():
            return _file(requirement, open_place)
        case NewestIs():
            found = _newest(requirement.place, requirement.log)
            if found == requirement.newest:
                return None
            now = "has no batch" if found is None else f"ends with batch {found:,}"
            then = "none" if requirement.newest is None else f"{requirement.newest:,}"
            return f"{requirement.log}/ {now}, and ended with {then} when the plan was made"
        case EpochIs():
            if epoch == requirement.number:
                return None
            return f"a run took epoch {epoch} since; the plan was made at {requirement.number}"
        case SinkIs():
            return _sink(requirement)
        case _:
            assert_never(requirement)


def _file(requirement: FileIs, open_place: OpenPlace) -> str | None:
    found = open_place(requirement.place).marks([requirement.name]).get(requirement.name)
    digest = found.sha256 if found else None
    if digest == requirement.sha256:
        return None
    if found is None:
        return f"{requirement.name} is gone"
    if requirement.sha256 is None:
        return f"{requirement.name} is there, and was not"
    return f"{requirement.name} has other bytes"


def _sink(requirement: SinkIs) -> str | None:
    """A sink that cannot be asked may have changed: that is a reason not to begin."""
    memory = read_memory(requirement.sink, requirement.query_id)
    if isinstance(memory.last, Unreadable):
        return f"{memory.sink} cannot be asked any more: {memory.last.reason}"
    last = memory.last.value if isinstance(memory.last, Known) else None
    if last != requirement.last:
        now = "holds no batch" if last is None else f"holds batches up to {last:,}"
        then = "none" if requirement.last is None else f"up to {requirement.last:,}"
        return f"{memory.sink} {now}, and held {then} when the plan was made"
    if memory.version != requirement.version:
        versions = f"its version is {memory.version}, and was {requirement.version}"
        return f"{memory.sink} was written to: {versions}"
    return None


def _newest(place: str, log: str) -> int | None:
    try:
        ids, _ = split_batch_ids(open_storage(place).at(log).entries().files)
    except UnreachableError as error:
        if error.why == "missing":
            return None
        raise
    return ids[-1] if ids else None
