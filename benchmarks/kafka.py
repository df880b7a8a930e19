"""The Kafka sink against Spark's own, which writes a batch twice when it is killed.

    .venv/bin/python -m benchmarks.kafka [--rows 500000] [--rounds 3] [--files 5]

Both write the same rows into new topics of the same broker, by turns and in one session. What
arrived is compared, row by row, in the run that is timed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from scripts.jars import fetch
from scripts.servers.kafka import broker

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=5, help="one batch each")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    with (
        # A checkpoint below /tmp is refused.
        tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=Path.home()) as folder,
        broker() as servers,
    ):
        make_input(Path(folder) / "in", given.rows, given.files)
        command = [sys.executable, str(HERE / "kafka_steady.py"), folder, servers]
        command += [fetch.jars("lake"), str(given.rounds), str(given.rows)]
        environ = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environ)
    measured = json.loads(done.stdout.splitlines()[-1])
    ratios = [o / s for o, s in zip(measured["holdfast"], measured["spark"], strict=True)]
    print(f"{os.cpu_count()} cores, load {load:.1f} before and {os.getloadavg()[0]:.1f} after")
    print(f"{given.rows:,} rows in {given.files} batches, {given.rounds} rounds by turns")
    for way in ("spark", "holdfast"):
        seconds = statistics.median(measured[way])
        print(f"  {way:9s} {seconds:6.2f} s  {given.rows / seconds:9,.0f} rows/s")
    print(f"  ratio     {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    for name, cost in measured["parts"].items():
        print(f"  {name}: {cost:.2f} µs a row")


def make_input(folder: Path, rows: int, files: int) -> None:
    """Numbers with a name, in files of the same size."""
    folder.mkdir()
    for number in range(files):
        ids = range(rows * number // files, rows * (number + 1) // files)
        table = pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "customer": pa.array((n % 1000 for n in ids), pa.int64()),
                "amount": pa.array((n * 0.25 for n in ids), pa.float64()),
                "name": pa.array((f"name of {n}" for n in ids), pa.string()),
            }
        )
        pq.write_table(table, folder / f"{number:05d}.parquet", row_group_size=len(ids) // 2 or 1)


if __name__ == "__main__":
    main()
