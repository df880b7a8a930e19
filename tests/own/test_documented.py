"""The function and the declaration of docs/running.md, as they stand there."""

import json
import re
from pathlib import Path
from typing import Any

from holdfast.adapters.declarations.loading import declaration_of
from holdfast.adapters.sinks.opening import open_sink
from holdfast.adapters.sinks.own.sink import OwnSink
from holdfast.testing import SinkConformance
from tests.own.test_conformance import CHUNK, python_sink

TEXT = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
CODE = re.search(r"^```python\n(# orders_api\.py\n.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
YAML = re.search(r"^```yaml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
assert CODE is not None and YAML is not None
API: dict[str, Any] = {"__name__": "orders_api"}
exec(CODE[1], API)


class OrdersApi(SinkConformance):
    """A file for each token, made by a rename, takes a chunk once."""

    guarantee = "exactly-once"

    def open_sink(self, folder: Path) -> OwnSink:
        out = folder / "out"
        out.mkdir(exist_ok=True)
        passed = {"folder": str(out)}
        return python_sink(folder, function=API["write"], options=passed, chunk_rows=CHUNK)

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        files = (folder / "out").glob("*.json")
        return [tuple(row.values()) for file in files for row in json.loads(file.read_text())]


def test_the_function_takes_each_chunk_once_whenever_it_is_killed(tmp_path: Path) -> None:
    OrdersApi().test_killed_at_every_step(tmp_path)


def test_the_declaration_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "orders_api.py").write_text(CODE[1])
    declared = declaration_of(
        YAML[1],
        path="holdfast.yaml",
        folder=str(tmp_path),
        profile=None,
        environ={"ORDERS_KEY": "a key that nobody sees"},
    )
    for job in declared.jobs:
        sink = open_sink(job.sink.kind, job.sink.options)
        assert sink.guarantee == "exactly-once"  # type: ignore[union-attr]
        assert "a key" not in repr(job)
