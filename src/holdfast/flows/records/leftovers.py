"""Put aside what a kill during the very first plan left (core/guards/leftovers.py says why)."""

from holdfast.adapters.records.archive import put_aside
from holdfast.adapters.storage.opening import open_storage
from holdfast.core.guards.leftovers import leftovers_put_aside, only_leftovers
from holdfast.core.job import Job
from holdfast.core.running.event import Tell, Warned
from holdfast.flows.start_evidence import look_at_checkpoint


def put_leftovers_aside(job: Job, epoch: int, tell: Tell) -> None:
    """Make a checkpoint in which no batch was ever planned as empty as Spark wants it.

    Called under the lease, before a query starts.
    """
    found = look_at_checkpoint(job.checkpoint)
    if not found.exists or found.has_batches:
        return
    tree = open_storage(job.checkpoint).walk()
    names = only_leftovers(
        f"{folder.path}/{leaf}" for folder in tree.directories.values() for leaf in folder.names
    )
    if names:
        put_aside(job.checkpoint, names, f"first-plan-{epoch:020d}")
        tell(Warned(finding=leftovers_put_aside(job.name, len(names))))
