"""Where things lie: the working folder of each case, the caches, and the golden folder.

Cases run below WORK and not below the repository, because Spark writes absolute paths into
checkpoints (file source logs, operator metadata v2) and those must be the same on every machine.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

WORK = Path("/tmp/holdfast-golden")
REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = REPOSITORY / "tests" / "golden"
# Manifests a sink keeps beside its data; the data files themselves are left out of the repository.
SINK_MEMORIES = ("_spark_metadata", "_delta_log")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The working folder of one case on one version."""

    version: str
    case: str

    @property
    def root(self) -> Path:
        return WORK / self.version / self.case

    @property
    def checkpoint(self) -> Path:
        return self.root / "checkpoint"

    @property
    def output(self) -> Path:
        return self.root / "output"

    @property
    def facts(self) -> Path:
        return self.root / "facts.json"

    @property
    def state_facts(self) -> Path:
        return self.root / "state_facts.json"

    @property
    def golden(self) -> Path:
        return GOLDEN / self.version / self.case

    def clear(self) -> None:
        """Start empty: a second making must not continue the first one's checkpoint."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)

    def keep(self) -> None:
        """Copy the checkpoint, hidden files included, and the sink's manifest to the repository."""
        shutil.rmtree(self.golden, ignore_errors=True)
        shutil.copytree(self.checkpoint, self.golden / "checkpoint")
        for memory in SINK_MEMORIES:
            if (self.output / memory).is_dir():
                shutil.copytree(self.output / memory, self.golden / "output" / memory)


def cache() -> Path:
    """The folder for everything that is downloaded once."""
    return Path(os.environ.get("HOLDFAST_CACHE", Path.home() / ".cache" / "holdfast"))
