"""HF207: the job is told to go on when data is missing.

With `failOnDataLoss=false` a Kafka or Delta source that no longer finds the offsets of its
checkpoint goes on from what is left, with a line in the log and no other sign. The same holds for
`ignoreMissingFiles` and `ignoreCorruptFiles` of file sources. Exactly-once then no longer says that
every row is there.

Means: one of these options, of the source or of the session, is set so that loss is passed over.
Severity: warning.
Do: leave the option out; when data is really gone, decide it once, for that restart.
"""

from collections.abc import Iterator, Mapping

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.job import Job

CODE = "HF207"

_LOSING = {
    "failondataloss": "false",
    "ignoremissingfiles": "true",
    "ignorecorruptfiles": "true",
    "spark.sql.files.ignoremissingfiles": "true",
    "spark.sql.files.ignorecorruptfiles": "true",
}


def find_data_loss_options(job: Job, *, spark: Mapping[str, str]) -> tuple[GuardFinding, ...]:
    """Look for options that pass over lost data."""
    return tuple(
        GuardFinding(
            code=CODE,
            severity="warning",
            job=job.name,
            message=f"{name}={_LOSING[name.lower()]}: rows that are gone are left out silently",
            next_action=f"leave out {name}, and set it only for a restart that must go on without",
        )
        for name in (*_losing(job.source.options), *_losing(spark))
    )


def _losing(options: Mapping[str, str]) -> Iterator[str]:
    for name, value in options.items():
        if _LOSING.get(name.lower()) == value.strip().lower():
            yield name
