"""Which files a table of Spark's file sink is made of, by its log `_spark_metadata`.

A folder also holds files of batches that were killed; the log does not name them. Read here without
Holdfast and without Spark, so that neither can be right about itself.
"""

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMPACT = ".compact"


def files_of(folder: Path) -> list[Path]:
    """Files of all batches in the log, each once for every time it is named."""
    log = folder / "_spark_metadata"
    entries = {_batch(path): path for path in log.iterdir() if not path.name.startswith(".")}
    compacted = [batch for batch, path in entries.items() if path.suffix == COMPACT]
    first = max(compacted, default=0)
    return [
        file
        for batch in sorted(entries)
        if batch >= first
        for file in _added(entries[batch].read_text(encoding="utf-8"))
    ]


def _batch(path: Path) -> int:
    return int(path.name.removesuffix(COMPACT))


def _added(text: str) -> list[Path]:
    version, *lines = text.splitlines()
    assert version == "v1"
    entries = [json.loads(line) for line in lines]
    assert all(entry["action"] == "add" for entry in entries)
    return [Path(unquote(urlsplit(entry["path"]).path)) for entry in entries]
