"""The golden checkpoints: made by real Spark, with what Spark itself said about each."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Case:
    version: str
    name: str
    folder: Path

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    @property
    def expected(self) -> dict[str, Any]:
        text = (self.folder / "expected.json").read_text(encoding="utf-8")
        expected: dict[str, Any] = json.loads(text)
        return expected

    def __str__(self) -> str:
        return f"{self.version}-{self.name}"


CASES = [
    Case(version=path.parent.parent.name, name=path.parent.name, folder=path.parent)
    for path in sorted(GOLDEN.glob("*/*/expected.json"))
]
NAMES = [str(case) for case in CASES]
