"""The JSON of `doctor`."""

from collections import Counter
from dataclasses import asdict
from typing import Any, get_args

from holdfast.core.doctor.check import Diagnosis, Status


def doctor_result(diagnosis: Diagnosis) -> dict[str, Any]:
    """The `result` of the envelope."""
    counted = Counter(check.status for check in diagnosis.checks)
    return {
        "profile": diagnosis.profile,
        "counts": {status: counted[status] for status in get_args(Status)},
        "checks": [{**asdict(check), "fix": list(check.fix)} for check in diagnosis.checks],
    }
