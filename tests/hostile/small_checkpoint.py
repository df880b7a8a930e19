"""A checkpoint of a few files, made by hand, to hang hostile things on."""

import json
from pathlib import Path
from typing import Any

QUERY_ID = "11111111-2222-3333-4444-555555555555"


def offsets_text(*positions: str, conf: dict[str, str] | None = None) -> str:
    metadata = {"batchWatermarkMs": 0, "batchTimestampMs": 1_700_000_000_000, "conf": conf or {}}
    return "\n".join(("v1", json.dumps(metadata), *(positions or ('{"logOffset":0}',))))


def make_checkpoint(root: Path, batches: int = 2) -> Path:
    """Every batch of it planned and committed."""
    write(root, "metadata", json.dumps({"id": QUERY_ID}))
    for batch in range(batches):
        write(root, f"offsets/{batch}", offsets_text(f'{{"logOffset":{batch}}}'))
        write(root, f"commits/{batch}", 'v1\n{"nextBatchWatermarkMs":0}')
    return root


def write(root: Path, name: str, content: str | bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_sparse(root: Path, name: str, size_bytes: int, head: bytes = b"") -> Path:
    """A file of any size that takes no room on the disk."""
    path = write(root, name, head)
    with path.open("r+b") as file:
        file.truncate(size_bytes)
    return path


def operator_metadata(operator: int, **changes: Any) -> str:
    store = {"storeName": "default", "numColsPrefixKey": 0, "numPartitions": 1, **changes}
    body = {
        "operatorInfo": {"operatorId": operator, "operatorName": "stateStoreSave"},
        "stateStoreInfo": [store],
    }
    return f"v1\n{json.dumps(body)}"
