"""HF202: the checkpoint lies in a folder for temporary files.

Such folders are emptied at a restart of the machine, after some days, or by the cluster. The query
then begins from nothing, while its output is still there.

Means: the location is below /tmp, /var/tmp, /dev/shm, a cluster's scratch disk, or the tmp folder
of a store.
Severity: error; a warning where Spark runs on this machine only (a trial), and for a bucket's
tmp/, of which only its owner knows whether it is emptied.
Do: use a base that stays.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.location import Place, place_of
from holdfast.core.guards.master import is_local_master
from holdfast.core.job import Job

CODE = "HF202"

_LOCAL = (
    ("tmp",),
    ("var", "tmp"),
    ("private", "tmp"),
    ("private", "var", "tmp"),
    ("private", "var", "folders"),
    ("var", "folders"),
    ("dev", "shm"),
    ("local_disk0",),
)
_CLUSTER = ("dbfs", "hdfs", "viewfs")
_NAMES = ("tmp", "temp", "_tmp", ".tmp")


def find_temporary_location(job: Job, *, master: str) -> tuple[GuardFinding, ...]:
    """Look whether the checkpoint is in a folder that is emptied."""
    place = place_of(job.checkpoint)
    if not _is_temporary(place):
        return ()
    is_sure = place.is_local or place.scheme in _CLUSTER
    return (
        GuardFinding(
            code=CODE,
            severity="error" if is_sure and not is_local_master(master) else "warning",
            job=job.name,
            message=f"the checkpoint {job.checkpoint!r} lies in a folder for temporary files",
            next_action="set `checkpoints` to a folder that nobody empties",
        ),
    )


def _is_temporary(place: Place) -> bool:
    if place.is_local:
        return any(place.parts[: len(folder)] == folder for folder in _LOCAL)
    return place.parts[:1] != () and place.parts[0].lower() in _NAMES
