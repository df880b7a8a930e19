"""A program that goes about its checkpoint as Spark does, in three batches of three rows.

python little_job.py CHECKPOINT append|once|wrong sqlite FILE | postgres URL TABLE

`append` writes every batch that has no commit, so a kill between sink and commit writes it twice;
`once` remembers the batch in the same transaction; `wrong` also loses a row, without any kill.
"""

import importlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

BATCHES, ROWS = 3, 3


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text)
    os.rename(beside, path)


@contextmanager
def transaction(kind: str, place: str) -> Iterator[Any]:
    # By name: most of these lives are short, and need no driver of a server.
    driver = sqlite3 if kind == "sqlite" else importlib.import_module("psycopg")
    with closing(driver.connect(place)) as connection:
        yield connection
        connection.commit()


def write(batch: int, mode: str, kind: str, place: str, table: str) -> None:
    mark = "?" if kind == "sqlite" else "%s"
    with transaction(kind, place) as connection:
        run = connection.cursor().execute
        run(f'CREATE TABLE IF NOT EXISTS "{table}" (batch INTEGER, n INTEGER, told TEXT)')
        run("CREATE TABLE IF NOT EXISTS done (target TEXT, batch INTEGER)")
        known = f"SELECT count(*) FROM done WHERE target = {mark} AND batch = {mark}"
        cursor = connection.cursor()
        cursor.execute(known, (table, batch))
        if mode != "append" and cursor.fetchone()[0]:
            return
        run(f"INSERT INTO done VALUES ({mark}, {mark})", (table, batch))
        for n in range(ROWS - (mode == "wrong" and batch == 1)):
            row = (batch, n, f"process {os.getpid()}")
            run(f'INSERT INTO "{table}" VALUES ({mark}, {mark}, {mark})', row)


def main(checkpoint: Path, mode: str, kind: str, place: str, table: str = "t") -> None:
    put(checkpoint / "metadata", json.dumps({"id": "4a1f0f3e-8f9a-4b4f-9f35-0d3c5ce8f4aa"}))
    for batch in range(BATCHES):
        if (checkpoint / "commits" / str(batch)).exists():
            continue
        plan = {"batchWatermarkMs": 0, "batchTimestampMs": batch, "conf": {}}
        source = {"logOffset": batch}
        put(checkpoint / "offsets" / str(batch), f"v1\n{json.dumps(plan)}\n{json.dumps(source)}")
        write(batch, mode, kind, place, table)
        put(checkpoint / "commits" / str(batch), 'v1\n{"nextBatchWatermarkMs":0}')


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
