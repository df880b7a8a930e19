"""Analyse the plan of a query in a process of its own, without running it; imports no pyspark."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from holdfast.adapters.surroundings.packages import spark_version
from holdfast.adapters.surroundings.process_environment import variables
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.core.evidence.pack import decode, encode
from holdfast.core.running.analysis import Analysis
from holdfast.core.running.failure import cause_line
from holdfast.core.running.ports import PlanFacts
from holdfast.core.secret_text import without_password
from holdfast.errors import (
    HoldfastError,
    MalformedError,
    NotInstalledError,
    UnreachableError,
    UsageError,
)

ANALYSIS_SECONDS_MAX: Final = 240
"""A cold start of Spark takes ten seconds, one that fetches its jars some minutes."""

_PROGRAM: Final = "holdfast.adapters.spark.plan_program"
_TALK_CHARACTERS_MAX: Final = 20_000


def analyse(wanted: Analysis, *, seconds: float = ANALYSIS_SECONDS_MAX) -> PlanFacts:
    """What the plan says; raises a HoldfastError with the reason where there is none."""
    if spark_version() is None:
        raise NotInstalledError(
            "an analysis needs pyspark", next_action="pip install 'holdfast[spark]'"
        )
    with tempfile.TemporaryDirectory(prefix="holdfast-analysis-") as name:
        folder = Path(name)
        answer, talk = folder / "answer.json", folder / "talk"
        request = json.dumps(encode(wanted))
        with ProcessGroup(
            [sys.executable, "-m", _PROGRAM, request, str(answer)],
            folder=Path(os.getcwd()),
            environ={**variables(), "PYTHONDONTWRITEBYTECODE": "1"},
            output=folder / "output",
            talk=talk,
        ) as process:
            code = process.wait(seconds)
        if code is None:
            raise UnreachableError(f"the analysis gave no answer within {seconds:g} s")
        return _facts(answer, talk, code)


def _facts(answer: Path, talk: Path, code: int) -> PlanFacts:
    try:
        body: Any = json.loads(answer.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        said = talk.read_text(encoding="utf-8", errors="replace")[-_TALK_CHARACTERS_MAX:]
        raise UnreachableError(
            f"the analysis ended with {code} and no answer: {without_password(cause_line(said))}"
        ) from error
    if "problem" in body:
        raise _problem(str(body["problem"]), str(body.get("code", "")))
    return decode(PlanFacts, body["facts"], "the analysis")


def _problem(reason: str, code: str) -> HoldfastError:
    kinds: tuple[type[HoldfastError], ...] = (UnreachableError, NotInstalledError, MalformedError)
    kind = next((each for each in kinds if each.code == code), UsageError)
    return kind(without_password(reason))
