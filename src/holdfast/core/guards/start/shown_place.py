"""Places in messages: none that the declaration itself took from the environment."""

from holdfast.core.job import Job
from holdfast.core.secret_text import SecretText


def shown_place(job: Job, location: str, instead: str) -> str:
    """A location as it may be shown beside a job; `instead` where the job's own is a secret.

    A location from the environment shows itself as the reference that stands for it; another one
    that was found by way of it would give it away.
    """
    return instead if isinstance(job.checkpoint, SecretText) else repr(str(location))
