"""HF210: on storage, the checkpoint lies inside a table.

The same harm as with declared data (HF206), found by looking: the table may be that of a job which
nobody declared here. A checkpoint inside is gone when the table is dropped, vacuumed or written
anew, and is read as data by whoever reads the folder.

Means: the folder itself, or one above it, holds `_spark_metadata` (Spark's file sink) or
`_delta_log` (Delta). Folders above that may not be read are passed over.
Severity: error; a warning where the checkpoint lies in a folder of the table whose name begins with
`_` or `.`, which Spark and Delta pass over when they read and clean up.
Do: keep checkpoints and data apart.
"""

from collections.abc import Sequence
from typing import Literal

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import DATA_LOGS, Above, Found
from holdfast.core.guards.start.shown_place import shown_place
from holdfast.core.job import Job

CODE = "HF210"


def find_inside_data(job: Job, found: Found, above: Sequence[Above]) -> tuple[GuardFinding, ...]:
    """Look for tables around the checkpoint."""
    findings = [
        _finding(job, f"is the folder of a table: it holds {log}", "error")
        for log in found.data_logs
    ]
    for folder in above:
        is_hidden = folder.below.startswith(("_", ".")) and folder.below not in DATA_LOGS
        where = shown_place(job, folder.location, "in a folder above it")
        findings += [
            _finding(
                job,
                f"lies inside the table {where}, which holds {log}",
                "warning" if is_hidden else "error",
            )
            for log in folder.data_logs
        ]
    return tuple(findings)


def _finding(job: Job, relation: str, severity: Literal["error", "warning"]) -> GuardFinding:
    return GuardFinding(
        code=CODE,
        severity=severity,
        job=job.name,
        message=f"the checkpoint {job.checkpoint!r} {relation}",
        next_action="keep checkpoints and data in folders side by side",
    )
