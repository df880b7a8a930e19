"""Write checkpoints by hand, for shapes that no real Spark can be made to leave at will."""

import json
from collections.abc import Iterable
from pathlib import Path

EMPTY_LZ4 = b"LZ4Block" + bytes([0x16]) + bytes(12)
"""A stream of lz4-java without content: only the block that ends it."""

QUERY_ID = "4b41c017-66c9-4266-832e-b7bdca059b6e"


class CheckpointBuilder:
    """Each method writes one kind of file and gives the builder back."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, data: str | bytes) -> "CheckpointBuilder":
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return self

    def metadata(self, query_id: str = QUERY_ID) -> "CheckpointBuilder":
        return self.write("metadata", json.dumps({"id": query_id}))

    def plan(
        self, batch: int, *offsets: str, conf: dict[str, str] | None = None, watermark_ms: int = 0
    ) -> "CheckpointBuilder":
        metadata = {
            "batchWatermarkMs": watermark_ms,
            "batchTimestampMs": 1_700_000_000_000 + batch,
            "conf": conf if conf is not None else {"spark.sql.shuffle.partitions": "2"},
        }
        lines = ["v1", json.dumps(metadata), *(offsets or ('{"logOffset":0}',))]
        return self.write(f"offsets/{batch}", "\n".join(lines))

    def commit(self, batch: int, body: str = '{"nextBatchWatermarkMs":0}') -> "CheckpointBuilder":
        return self.write(f"commits/{batch}", f"v1\n{body}")

    def batches(self, ids: Iterable[int], committed: bool = True) -> "CheckpointBuilder":
        for batch in ids:
            self.plan(batch)
            if committed:
                self.commit(batch)
        return self

    def state(self, *names: str, operator: int = 0) -> "CheckpointBuilder":
        for name in names:
            self.write(f"state/{operator}/{name}", EMPTY_LZ4)
        return self
