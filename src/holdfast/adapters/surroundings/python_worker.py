"""The Python that Spark's workers would run."""

import os
import shutil
import sys
from collections.abc import Mapping

from holdfast.adapters.surroundings.programs import is_same_python
from holdfast.core.doctor.libraries import Worker

_SETTING = "spark.pyspark.python"
_VARIABLE = "PYSPARK_PYTHON"


def look_at_worker(
    settings: Mapping[str, str], environ: Mapping[str, str], *, is_local: bool
) -> Worker:
    """What is asked for, by the setting before the variable, and whether it is us."""
    asked_by = _SETTING if settings.get(_SETTING) else _VARIABLE
    asked = settings.get(_SETTING) or environ.get(_VARIABLE, "")
    path = shutil.which(asked, path=environ.get("PATH")) or "" if asked else ""
    return Worker(
        asked=asked,
        asked_by=asked_by,
        path=os.path.abspath(path) if path else "",
        is_ours=bool(path) and is_same_python(path, sys.executable),
        ours=sys.executable,
        is_local=is_local,
    )
