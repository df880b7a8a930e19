"""Running a backfill: the job as it is declared, on the checkpoint that its plan has made."""

from dataclasses import replace

from holdfast.adapters.storage.opening import local_path
from holdfast.core.job import FILE_FORMATS, Declaration, Job, TriggerSpec
from holdfast.errors import RefusedError, UsageError
from holdfast.flows.operations.backfill import FOLDER
from holdfast.flows.records.last_batches import last_batches

_PLANNED = TriggerSpec(kind="planned-batch", interval=None)


def as_backfill(declaration: Declaration, names: tuple[str, ...], backfill: str) -> Declaration:
    """The declaration with one job: the one that is named, on the checkpoint of its backfill."""
    job = next((job for job in declaration.jobs if names == (job.name,)), None)
    if job is None or not backfill.startswith(f"{job.name}-") or "/" in backfill:
        raise UsageError(
            "a backfill is run for one job, under the name that its plan gave it",
            subject=backfill,
            next_action="holdfast run JOB --backfill NAME, as `holdfast apply` printed it",
        )
    above = job.checkpoint.rstrip("/").rpartition("/")[0]
    options = dict(job.source.options)
    if job.source.format in FILE_FORMATS:
        # Input is the live query's to archive or delete.
        options["cleanSource"] = "off"
    ours = replace(
        job,
        name=backfill,
        checkpoint=f"{above}/{FOLDER}/{backfill}",
        source=replace(job.source, options=options),
        trigger=_PLANNED,
    )
    refuse_unplanned(ours)
    return replace(declaration, jobs=(ours,))


def refuse_unplanned(job: Job) -> None:
    """A backfill whose batch is committed is done: one more would read beyond its range."""
    if job.trigger.kind != "planned-batch":
        return
    found = last_batches(job.checkpoint)
    if found.planned is None:
        shown = local_path(job.checkpoint) or job.checkpoint
        raise UsageError(
            "there is no such backfill",
            subject=str(shown),
            next_action="holdfast plan backfill JOB … -o plan.json, then holdfast apply plan.json",
        )
    if found.planned == found.committed:
        raise RefusedError(
            f"this backfill is done: its batch {found.planned} is committed",
            subject=job.name,
            next_action="nothing is left to do",
        )
