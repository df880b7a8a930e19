"""The list of cases: what each is called, where it can run, and which process runs it.

A case is a function that takes a Stage and leaves a checkpoint behind. Which Spark versions can
run it is data beside it, so that `tests/golden/cases.json` can say why a cell is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

import pyspark

# Modules by the first Spark version that can import them: the transformWithState API and Python
# data sources exist from 4.0 on, so their modules would not import under 3.5.
MODULES = (
    ("cases_sources", (3, 5)),
    ("cases_state", (3, 5)),
    ("cases_operators", (3, 5)),
    ("cases_sinks", (3, 5)),
    ("cases_modes", (3, 5)),
    ("cases_lake", (3, 5)),
    ("cases_kafka", (3, 5)),
    ("cases_kills", (3, 5)),
    ("cases_python", (4, 0)),
)

# Where a case's files do not differ by version, a few versions do: the repository stays small.
NEWEST = ("4.2.0",)
OLD_AND_NEW = ("3.5.9", "4.2.0")
SOME = ("3.5.9", "4.2.0", "4.3.0")

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One checkpoint to make. `process` names the kind of process that runs it."""

    name: str
    run: Callable[[Any], None]
    since: tuple[int, ...] = (3, 5)
    only: tuple[str, ...] = ()
    why_only: str = "not made here, to keep the repository small: made on "
    conf: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    process: str = "shared"
    kill_before: str = ""
    note: str = ""

    def refusal(self, version: str) -> str:
        """Why this version cannot make the case; empty when it can."""
        if numbers(version) < self.since:
            return "needs Spark " + ".".join(map(str, self.since))
        if self.only and version not in self.only:
            return self.why_only + ", ".join(self.only)
        return ""


CASES: dict[str, Case] = {}

# Cases of a module that an old version cannot import still need a reason in cases.json.
NEWER_CASES = {"python_data_source": "4.0", "tws_avro": "4.0", "tws_unsaferow": "4.0"}


def case(name: str, **facts: Any) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Register a function as the case of that name."""

    def register(run: Callable[[Any], None]) -> Callable[[Any], None]:
        if name in CASES:
            raise ValueError(f"two cases are called {name}")
        CASES[name] = Case(name=name, run=run, **facts)
        return run

    return register


def load() -> dict[str, Case]:
    """Import the case modules this Spark version can import and return all their cases."""
    for module, since in MODULES:
        if numbers(pyspark.__version__) >= since:
            import_module(module)
    return dict(sorted(CASES.items()))


def numbers(version: str) -> tuple[int, ...]:
    """ "4.2.0" as (4, 2, 0), so that versions compare as numbers."""
    return tuple(int(part) for part in version.split("."))
