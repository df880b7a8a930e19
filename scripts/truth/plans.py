"""What the plans of queries are made of, analysed by real Spark without a start, and kept.

Kept apart from what was observed: the analysis is ours and gets better, what Spark did does not.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scripts.truth.observation import Observation
from scripts.truth.spark_process import ROOT, SparkProcesses

from holdfast.core.evidence.pack import decode
from holdfast.core.pinned_conf import DEFAULTS
from holdfast.core.running.fingerprint import UNPINNED
from holdfast.core.running.ports import PlanFacts

NAMES = (*DEFAULTS, *UNPINNED)
TOLD = ("shape", "variant", "source", "sink", "mode")
"""What of a task decides about the plan, beside the settings."""


class Plans:
    """Facts of plans by version and query; made by one state of our code."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._code = digest_of(sorted((ROOT / "src/holdfast/adapters/spark").glob("plan*.py")))
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self._all: dict[str, Any] = kept.get("plans", {}) if kept.get("code") == self._code else {}

    def look(self, found: Iterable[Observation], sparks: SparkProcesses) -> None:
        """Analyse every plan that is not known yet."""
        for each in found:
            for version, task in ((each.version, each.before), (each.started_with, each.after)):
                key = key_of(version, task)
                if key not in self._all:
                    answer = sparks.of(version).ask("describe", **task, names=NAMES)
                    self._all[key] = answer["facts"] or answer["error"]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        body = {"code": self._code, "plans": self._all}
        self._path.write_text(json.dumps(body, indent=1), encoding="utf-8")

    def of(self, version: str, task: dict[str, Any]) -> PlanFacts | str:
        """The facts, or why there are none."""
        kept = self._all.get(key_of(version, task), "the plan was not looked at")
        return kept if isinstance(kept, str) else decode(PlanFacts, kept, "plan")


def key_of(version: str, task: dict[str, Any]) -> str:
    """Cases that have the same query share its plan, wherever they lie."""
    told = [task[name] for name in TOLD] + sorted(task["settings"].items())
    return f"{version} {json.dumps(told)}"


def digest_of(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()
