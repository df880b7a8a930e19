"""Runs as a program of its own: builds the DataFrame of a query, says what its plan is, ends.

    python -m holdfast.adapters.spark.plan_program REQUEST ANSWER

REQUEST is JSON of core.running.analysis.Analysis, ANSWER the file that gets the facts, or the
problem. No query is started and no checkpoint is named, so that none can be touched.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from holdfast.adapters.declarations.loading import load_declaration
from holdfast.adapters.jars import jar_settings
from holdfast.adapters.spark.plan_facts import plan_facts
from holdfast.adapters.spark.query import apply_transform, load_transform, read_source
from holdfast.adapters.spark.session import open_session
from holdfast.adapters.surroundings.process_environment import variables
from holdfast.core.evidence.pack import decode, encode
from holdfast.core.pinned_conf import DEFAULTS
from holdfast.core.running.analysis import Analysis
from holdfast.core.running.failure import cause_line
from holdfast.core.running.fingerprint import UNPINNED
from holdfast.core.running.ports import PlanFacts
from holdfast.core.secret_text import hide, shown_options
from holdfast.errors import HoldfastError, UsageError


def main(request: str, answer: str) -> None:
    """Answer one request."""
    wanted = decode(Analysis, json.loads(request), "request")
    try:
        body: dict[str, Any] = {"facts": encode(_analysed(wanted, os.path.dirname(answer)))}
    except HoldfastError as error:
        body = {"problem": error.message, "code": error.code}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is the user's own
        reason = f"{type(error).__name__}: {cause_line(str(error))}"
        body = {"problem": reason, "code": UsageError.code}
    Path(answer).write_text(json.dumps(body), encoding="utf-8")


def _analysed(wanted: Analysis, folder: str) -> PlanFacts:
    # One core is enough to analyse; nothing is left in the folder that we were called in.
    ours = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": folder,
    }
    if wanted.file is None:
        # Spark takes ten seconds to start, which a module that does not import need not cost.
        function: Callable[..., Any] = load_transform(wanted.function or "", os.getcwd())
        secrets: frozenset[str] = frozenset()
        spark = open_session(ours, "holdfast-analysis")
        frame = function(spark)
    else:
        declaration = load_declaration(wanted.file, profile=wanted.profile, environ=variables())
        secrets = declaration.secrets
        job = next(job for job in declaration.jobs if job.name == wanted.job)
        jars = jar_settings(declaration, variables())
        spark = open_session({**declaration.spark, **jars, **ours}, "holdfast-analysis")
        rows = read_source(spark, job.source)
        frame = apply_transform(rows, wanted.function or job.transform, declaration.folder)
    try:
        return _shown(_facts(frame, wanted.function), secrets)
    finally:
        spark.stop()


def _facts(frame: Any, function: str | None) -> PlanFacts:
    if not isinstance(frame, DataFrame):
        raise UsageError(
            f"{function} gave {type(frame).__name__} and not a DataFrame", subject=function or ""
        )
    if not frame.isStreaming:
        raise UsageError(f"{function} gave a DataFrame that does not stream")
    return plan_facts(frame, (*DEFAULTS, *UNPINNED))


def _shown(facts: PlanFacts, secrets: frozenset[str]) -> PlanFacts:
    """Nothing secret is written, not even into a file that is read at once and removed."""
    return PlanFacts(
        sources=facts.sources,
        stateful=tuple(hide(word, secrets) for word in facts.stateful),
        unrepeatable=(),
        settings=shown_options(facts.settings, secrets),
        versions=facts.versions,
        source_options=tuple(shown_options(each, secrets) for each in facts.source_options),
        shapes=facts.shapes,
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
