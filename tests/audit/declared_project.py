"""A small declared project: three files of JSON lines, one job, any sink."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from holdfast.adapters.surroundings.java_archive import quick_java_options

JOB = "orders"
FILES, ROWS_A_FILE = 3, 20

SINKS = {
    "sqlite-append": 'kind: sql, url: "sqlite:///./out.db", table: t, create: true',
    "sqlite-upsert": (
        'kind: sql, url: "sqlite:///./out.db", table: t, create: true, mode: upsert, key: [id], '
        "version: amount"
    ),
    "file": "kind: file, format: parquet, path: ./out",
    "files": "kind: files, path: ./out/t",
    "delta": "kind: delta, path: ./out",
    "delta-upsert": (
        "kind: delta, path: ./out, mode: upsert, key: [id], version: amount, create: true, "
        'columns: "id long, amount long"'
    ),
    "delta-ledger": "kind: delta, path: ./out, ledger: true, create: true",
    "server-append": 'kind: sql, url: "${env:SINK_URL}", table: t, create: true',
    "server-upsert": (
        'kind: sql, url: "${env:SINK_URL}", table: t, create: true, mode: upsert, key: [id], '
        "version: amount"
    ),
    "kafka": (
        'kind: kafka, servers: "${env:KAFKA_SERVERS}", topic: "${env:KAFKA_TOPIC}", create: true, '
        "partitions: 2, value: json, key: [id]"
    ),
}

TRANSFORMS = """
from pyspark.sql import functions as f

def with_uuid(rows):
    return rows.withColumn("u", f.expr("uuid()"))

def with_uuid_and_time(rows):
    return with_uuid(rows).withColumn("at", f.current_timestamp())
"""


def write_project(folder: Path, sink: str, *, transform: str | None = None) -> Path:
    """The declaration of a job whose rows overlap from batch to batch."""
    incoming = folder / "in"
    incoming.mkdir(parents=True)
    for number in range(FILES):
        first = number * ROWS_A_FILE // 2
        ids = range(first, first + ROWS_A_FILE)
        path = incoming / f"{number}.json"
        path.write_text("".join(f'{{"id": {i}, "amount": {number * 100 + i}}}\n' for i in ids))
        os.utime(path, (1_600_000_000 + number,) * 2)
    (folder / "audited_transforms.py").write_text(TRANSFORMS)
    chosen = "" if transform is None else f"transform: audited_transforms:{transform}"
    text = f"""
    checkpoints: ./checkpoints
    spark:
      spark.sql.shuffle.partitions: 2
      spark.databricks.delta.snapshotPartitions: 2
    jobs:
      {JOB}:
        source: {{format: json, path: ./in, schema: "id long, amount long"}}
        sink: {{{SINKS[sink]}}}
        {chosen}
    """
    file = folder / "holdfast.yaml"
    file.write_text(textwrap.dedent(text))
    return file


def holdfast(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Type a command in the folder of a project, with a cache beside it."""
    environ = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": quick_java_options(sys.executable, os.environ),
        "HOLDFAST_CACHE": str(project.parent / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-m", "holdfast", *words],
        cwd=project,
        env=environ,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
