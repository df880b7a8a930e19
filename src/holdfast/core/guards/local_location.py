"""HF203: the checkpoint is a path of one machine, and Spark runs on several.

The driver writes the logs and every executor writes the state of its own tasks. On a path that
each machine has for itself the parts never meet: the query fails when a task moves, or starts
from nothing when the driver does. A path without a scheme is worse still, because Spark takes it
for a path of the default store (`fs.defaultFS`), and whoever looks on the disk finds nothing.

Means: the master is not local and the location is a path, or a file: URL.
Severity: error; a warning for a file: URL, which may be a folder that every machine mounts.
Do: write a URL of a store that all reach.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.location import place_of
from holdfast.core.guards.master import is_local_master
from holdfast.core.job import Job

CODE = "HF203"

_MOUNTED = {"Volumes", "Workspace"}
"""Folders that Databricks shows to every machine of a cluster."""


def find_local_location(job: Job, *, master: str) -> tuple[GuardFinding, ...]:
    """Look whether executors elsewhere could not reach the checkpoint."""
    place = place_of(job.checkpoint)
    if is_local_master(master) or not place.is_local or set(place.parts[:1]) & _MOUNTED:
        return ()
    is_url = job.checkpoint.lower().startswith("file:")
    return (
        GuardFinding(
            code=CODE,
            severity="warning" if is_url else "error",
            job=job.name,
            message=(
                f"the checkpoint {job.checkpoint!r} is a path of one machine, and the master "
                f"{master!r} is not local"
            ),
            next_action=(
                "write a URL of a store that every machine reaches (s3://, abfss://, gs://, "
                "hdfs://), or file:/ for a folder that every machine mounts"
            ),
        ),
    )
