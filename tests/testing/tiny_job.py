"""A program that keeps a checkpoint as Spark does, three batches long, and starts in no time.

    python tiny_job.py FOLDER exact|append

`exact` has its mark in the transaction of the rows, `append` has none.
"""

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

BATCHES = 3


def put(file: Path, *lines: object) -> None:
    """Appears whole, by rename, as Spark's logs do."""
    file.parent.mkdir(parents=True, exist_ok=True)
    hidden = file.with_name(f".{file.name}.tmp")
    hidden.write_text("\n".join(map(str, lines)), encoding="utf-8")
    os.rename(hidden, file)


def write(database: Path, batch: int, mode: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE IF NOT EXISTS events (id, batch)")
        connection.execute("CREATE TABLE IF NOT EXISTS marks (batch)")
        marks = connection.execute("SELECT count(*) FROM marks WHERE batch = ?", (batch,))
        if mode == "exact" and marks.fetchone() != (0,):
            return
        rows = [(number, batch) for number in range(4)]
        connection.executemany("INSERT INTO events VALUES (?, ?)", rows)
        connection.execute("INSERT INTO marks VALUES (?)", (batch,))
        connection.execute("COMMIT")


def main(folder: Path, mode: str) -> None:
    checkpoint = folder / "checkpoint"
    if not (checkpoint / "metadata").exists():
        put(checkpoint / "metadata", json.dumps({"id": "5d3d0f0e-62f5-4d70-8e0e-b5a7f8f8c1aa"}))
    facts = json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {}})
    for batch in range(BATCHES):
        if (checkpoint / "commits" / str(batch)).exists():
            continue
        if not (checkpoint / "offsets" / str(batch)).exists():
            put(checkpoint / "offsets" / str(batch), "v1", facts, json.dumps({"logOffset": batch}))
        write(folder / "out.db", batch, mode)
        put(checkpoint / "commits" / str(batch), "v1", json.dumps({"nextBatchWatermarkMs": 0}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
