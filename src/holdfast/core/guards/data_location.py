"""HF206: a checkpoint and the data of a job lie inside one another.

A checkpoint inside a folder of data is read as data by whoever reads that folder, and is gone when
the table is dropped, vacuumed or written anew. Data inside a checkpoint is taken for a part of it,
and is moved and removed with it.

Means: the checkpoint is the folder that a job reads or writes, or lies inside it, or around it.
Severity: error; a warning where the checkpoint lies in a folder of the data whose name begins with
`_` or `.`, which Spark and Delta pass over when they read and clean up.
Do: keep checkpoints and data apart.
"""

from collections.abc import Iterator, Sequence

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.location import Place, place_of
from holdfast.core.job import Job

CODE = "HF206"

_LOGS = ("_delta_log", "_spark_metadata")


def find_data_locations(jobs: Sequence[Job]) -> tuple[GuardFinding, ...]:
    """Look for checkpoints inside data, and data inside checkpoints."""
    data = list(dict.fromkeys(entry for job in jobs for entry in _data(job)))
    return tuple(
        finding
        for job in jobs
        for location, words in data
        for finding in _compare(job, location, words)
    )


def _data(job: Job) -> Iterator[tuple[str, str]]:
    path = job.sink.options.get("path")
    if isinstance(path, str):
        yield path, f"what job {job.name!r} writes"
    # What another job writes is looked at with that job.
    if job.source.path is not None and job.source.job is None:
        yield job.source.path, f"what job {job.name!r} reads"


def _compare(job: Job, location: str, words: str) -> Iterator[GuardFinding]:
    checkpoint, data = place_of(job.checkpoint), place_of(location)
    if checkpoint == data:
        relation = "is the folder of"
    elif checkpoint.is_inside(data):
        relation = "lies inside"
    elif data.is_inside(checkpoint):
        relation = "lies around"
    else:
        return
    yield GuardFinding(
        code=CODE,
        severity="warning" if _is_hidden(checkpoint, data) else "error",
        job=job.name,
        message=f"the checkpoint {job.checkpoint!r} {relation} {words}, {location!r}",
        next_action="keep checkpoints and data in folders side by side",
    )


def _is_hidden(checkpoint: Place, data: Place) -> bool:
    """Whether readers of the data pass over the checkpoint inside it."""
    if not checkpoint.is_inside(data):
        return False
    first = checkpoint.parts[len(data.parts)]
    return first.startswith(("_", ".")) and first not in _LOGS
