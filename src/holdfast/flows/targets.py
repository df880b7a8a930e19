"""From what somebody typed to jobs: a declared name, or a path or URL of a checkpoint."""

from holdfast.adapters.storage.opening import shown
from holdfast.errors import UsageError
from holdfast.flows.declaration import load
from holdfast.flows.status import Target


def find_targets(
    typed: str | None, *, file: str, profile: str | None
) -> tuple[str, tuple[Target, ...]]:
    """What was meant, and where it is said: the declaration, or the location itself.

    Names of jobs hold no slash; whatever does is a location, and needs no declaration.
    """
    if typed is not None and ("/" in typed or typed in (".", "..")):
        return shown(typed), (Target(name=typed, checkpoint=typed, declared=False),)
    declaration = load(file, profile)
    jobs = {
        job.name: Target(name=job.name, checkpoint=job.checkpoint, declared=True)
        for job in declaration.jobs
    }
    if typed is None:
        return declaration.path, tuple(jobs.values())
    if typed not in jobs:
        raise UsageError(
            f"no job is called {typed!r} in profile {declaration.profile!r}",
            subject=declaration.path,
            next_action=f"use one of {', '.join(jobs)}, or a path with a slash: ./{typed}",
        )
    return declaration.path, (jobs[typed],)
