"""A program that goes about its checkpoint as Spark does in real-time mode, and never ends.

python little_real_time_job.py CHECKPOINT FILE

The rows of a batch go out, then its end is written down, then its commit. A plan without a commit
is deleted at the start. After three batches with rows the others have none.
"""

import itertools
import json
import sys
import time
from pathlib import Path

from little_job import BATCHES, put, write

PAUSE_S = 0.02


def newest(folder: Path) -> int:
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return max((int(name) for name in names if name.isdigit()), default=-1)


def main(checkpoint: Path, database: str) -> None:
    offsets, commits = checkpoint / "offsets", checkpoint / "commits"
    put(checkpoint / "metadata", json.dumps({"id": "4a1f0f3e-8f9a-4b4f-9f35-0d3c5ce8f4aa"}))
    done = newest(commits)
    if newest(offsets) > done:
        (offsets / str(done + 1)).unlink()
    for batch in itertools.count(done + 1):
        if batch < BATCHES:
            write(batch, "append", "sqlite", database, "t")
        plan = {"batchWatermarkMs": 0, "batchTimestampMs": batch, "conf": {}}
        source = {"topic": {"0": min(batch + 1, BATCHES)}}
        put(offsets / str(batch), f"v1\n{json.dumps(plan)}\n{json.dumps(source)}")
        put(commits / str(batch), 'v1\n{"nextBatchWatermarkMs":0}')
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
