"""Run a query with a recorder beside it: `python -m tests.recording.recorded_query FOLDER`.

Leaves the checkpoint in FOLDER/ck, its records beside it, and in FOLDER/said.json what Spark said.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from holdfast.adapters.records.opening import open_records
from holdfast.core.recording.progress import is_idle
from holdfast.flows.records.recorder import Recorder

DEADLINE_S = 120.0


def main(folder: Path) -> None:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        # An idle event soon after the last batch, and not in 10 seconds.
        .config("spark.sql.streaming.noDataProgressEventInterval", "200ms")
        .getOrCreate()
    )
    checkpoint = str(folder / "ck")
    source = folder / "in"
    source.mkdir()
    for number in range(4):
        (source / f"{number}.json").write_text(json.dumps({"n": number}), encoding="utf-8")
    frame = spark.readStream.schema("n long").option("maxFilesPerTrigger", 1).json(str(source))
    query = frame.writeStream.format("noop").option("checkpointLocation", checkpoint).start()
    records = open_records(checkpoint)
    recorder = Recorder(checkpoint, records, 1, monotonic=time.monotonic)
    said: dict[Any, dict[str, Any]] = {}
    deadline_s = time.monotonic() + DEADLINE_S
    while not any(is_idle(event) for event in said.values()):
        if time.monotonic() > deadline_s:
            raise SystemExit("the query was never idle")
        look(query, recorder, said)
        time.sleep(0.05)
    query.stop()
    look(query, recorder, said)
    recorder.close()
    if recorder.trouble:
        raise SystemExit(recorder.trouble)
    (folder / "said.json").write_text(json.dumps(list(said.values())), encoding="utf-8")
    spark.stop()


def look(query: Any, recorder: Recorder, said: dict[Any, dict[str, Any]]) -> None:
    for event in query.recentProgress:
        value = json.loads(event.json) if hasattr(event, "json") else event
        key = (value["batchId"], value["timestamp"])
        if key not in said:
            said[key] = value
            recorder.note(value)
    recorder.tick()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
