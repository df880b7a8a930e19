"""The checkpoints that are measured: built once, in Spark's own layout, and kept in the cache.

Their contents are those of a real aggregation on Spark 4.2; only the names are many.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("HOLDFAST_CACHE") or Path.home() / ".cache" / "holdfast")
GOLDEN = ROOT / "tests" / "golden" / "4.2.0" / "agg_watermark_hdfs" / "checkpoint"
SPARK_PARTITIONS = 200
"""Spark's default of spark.sql.shuffle.partitions."""

_LAYOUT = 2
"""Part of the cached folder's name: to be raised when the shape of the inputs changes."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How many of what a checkpoint holds; no checksum files, as on any store but file://."""

    name: str
    batches: int
    partitions: int
    state_versions: int

    @property
    def state_files(self) -> int:
        """Every version is one file per partition."""
        return self.partitions * self.state_versions


SMALL = Shape(name="100-batches", batches=100, partitions=10, state_versions=100)
LARGE = Shape(
    name="100000-batches", batches=100_000, partitions=SPARK_PARTITIONS, state_versions=235
)
FLEET_MEMBER = Shape(name="fleet-member", batches=2, partitions=1, state_versions=2)


def checkpoint_of(shape: Shape) -> Path:
    """The checkpoint of this shape, built where the cache does not hold it yet."""
    target = CACHE / "bench" / f"{shape.name}-{_LAYOUT}"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".building-") as folder:
            print(f"building {target.name} (kept in {target.parent})", file=sys.stderr)
            built = Path(folder) / "checkpoint"
            build(shape, built)
            built.rename(target)
    return target


def build(shape: Shape, target: Path) -> None:
    """Write the checkpoint: every batch planned and committed, every partition loadable."""
    for name, content in files_of(shape):
        path = target / name
        if not path.parent.exists():
            path.parent.mkdir(parents=True)
        path.write_bytes(content)


def files_of(
    shape: Shape, query_id: str = "8d9fe9db-2717-4744-9cd0-0cfacd8c1bee"
) -> Iterator[tuple[str, bytes]]:
    """Every file of the checkpoint as (name, content)."""
    yield "metadata", json.dumps({"id": query_id}).encode()
    first = max(shape.batches - shape.state_versions, 0)
    plan = plan_text(shape.partitions)
    for batch in range(shape.batches):
        yield f"offsets/{batch}", (plan + f'\n{{"logOffset":{batch}}}').encode()
        yield f"commits/{batch}", b'v1\n{"nextBatchWatermarkMs":0}'
    info = {
        "operatorInfo": {"operatorId": 0, "operatorName": "stateStoreSave"},
        "stateStoreInfo": [
            {"storeName": "default", "numColsPrefixKey": 0, "numPartitions": shape.partitions}
        ],
    }
    yield "state/0/_metadata/metadata", b"v1\n" + json.dumps(info).encode()
    delta = next((GOLDEN / "state/0/0").glob("*.delta")).read_bytes()
    for partition in range(shape.partitions):
        for version in range(first + 1, first + shape.state_versions + 1):
            # The oldest version must be a snapshot, or no version after it could be loaded.
            kind = "snapshot" if first and version == first + 1 else "delta"
            yield f"state/0/{partition}/{version}.{kind}", delta


def plan_text(partitions: int) -> str:
    """The head of a plan as Spark wrote it, with this number of partitions pinned."""
    head, metadata, *_ = (GOLDEN / "offsets/5").read_text(encoding="utf-8").split("\n")
    entry = json.loads(metadata)
    entry["conf"]["spark.sql.shuffle.partitions"] = str(partitions)
    return f"{head}\n{json.dumps(entry, separators=(',', ':'))}"
