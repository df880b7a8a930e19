"""What was seen of one case, kept as a line of JSON: seen once, judged as often as rules change."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scripts.truth.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A workload, a change, and what really happened."""

    version: str
    """The Spark that made the checkpoint."""
    started_with: str
    workload: str
    change: str
    before: dict[str, Any]
    """What the session was told when the checkpoint was made."""
    after: dict[str, Any]
    """What it was told at the starts after the change."""
    source_specs: list[str]
    starts: list[dict[str, Any]]
    outcome: Outcome

    @property
    def key(self) -> str:
        return f"{self.version}/{self.workload}/{self.change}"


class Observations:
    """All of them, in a file that is only appended to; the newest of one key counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._all = {each.key: each for each in self._read()}

    def _read(self) -> Iterator[Observation]:
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                data = json.loads(line)
                data["outcome"] = Outcome(**data["outcome"])
                yield Observation(**{name: data[name] for name in Observation.__slots__})

    def add(self, observation: Observation) -> None:
        self._all[observation.key] = observation
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(observation)) + "\n")

    def __contains__(self, key: str) -> bool:
        return key in self._all

    def __iter__(self) -> Iterator[Observation]:
        return iter(self._all.values())

    def __len__(self) -> int:
        return len(self._all)
