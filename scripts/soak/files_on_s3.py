"""The files sink on S3, written by a real Spark that is killed again and again.

    python -m scripts.soak.files_on_s3 --kills 3

A reader by the ledger looks all the time, and must see whole batches; a reader of the folder must
never see a row twice, nor one of a batch without a mark. In the end every row is there once.

Rows are counted by input file, not by batch. A kill after the file source has logged a file and
before the plan of its batch lets the next plan take that file and the one after it: the run then
tells of a batch of twice as many rows, each of them once (FileStreamSource.fetchMaxOffset).
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet
from s3fs import S3FileSystem
from scripts.jars.fetch import folder as jars_of
from scripts.servers.moto import SECRET, S3Server, s3_server

from holdfast.errors import HoldfastError, UsageError
from holdfast.files import published

FILES, ROWS, PARTS = 8, 50, 3
DEADLINE_S = 600.0
LOOK_S = 0.05
TABLE = "lake/data/orders"
# Spark has its own; two of a library in one process do not go together.
SPARKS_OWN = ("slf4j-api-", "netty-")

TRANSFORM = f"""
def in_parts(rows):
    return rows.repartition({PARTS})
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with s3_server() as server, tempfile.TemporaryDirectory(prefix="holdfast-s3-") as folder:
        os.environ.update({k: v for k, v in server.environment().items() if k.startswith("AWS_")})
        server.client().create_bucket(Bucket="lake")
        project = make_project(Path(folder), server)
        onlooker = Onlooker()
        onlooker.start()
        kills = run_killed(project, arguments.kills, random.Random(arguments.seed))
        done = subprocess.run(command(project), cwd=project, env=environment())
        onlooker.end()
        assert done.returncode == 0, done.returncode
        found = Counter(ids(published(f"s3://{TABLE}").files))
        assert found == Counter(range(FILES * ROWS)), found
        assert Counter(ids(S3FileSystem().find(TABLE))) == found
        assert not onlooker.wrong, onlooker.wrong[:5]
        print(f"{kills} kills, {sum(found.values())} rows once, {onlooker.looks} looks, none wrong")
    return 0


def run_killed(project: Path, wanted: int, chance: random.Random) -> int:
    kills = 0
    for _ in range(wanted):
        before, limit = marks(), time.monotonic() + DEADLINE_S
        process = subprocess.Popen(
            command(project), cwd=project, env=environment(), start_new_session=True
        )
        while marks() < before + 2 and process.poll() is None:
            assert time.monotonic() < limit
            time.sleep(LOOK_S)
        time.sleep(chance.uniform(0, 2))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    return kills


class Onlooker(threading.Thread):
    """Two readers, one by the ledger and one of the folder."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = threading.Event()
        self.looks = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        while not self._ended.wait(LOOK_S):
            try:
                whole = Counter(i // ROWS for i in ids(published(f"s3://{TABLE}").files))
                every = Counter(ids(S3FileSystem().find(TABLE)))
            except UsageError:
                continue  # not begun yet
            except (HoldfastError, OSError) as error:
                self.wrong.append(f"could not be read: {error}")
                continue
            self.looks += 1
            told = "rows of input file"
            self.wrong += [f"{n} {told} {f}" for f, n in whole.items() if n != ROWS]
            self.wrong += [f"row {i} is there {n} times" for i, n in every.items() if n != 1]

    def end(self) -> None:
        self._ended.set()
        self.join()


def ids(files: Any) -> list[int]:
    store = S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
    found: list[int] = []
    for name in files:
        with store.open(name, "rb") as file:
            found += pyarrow.parquet.ParquetFile(file).read(["id"]).column("id").to_pylist()
    return found


def marks() -> int:
    store = S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
    return len(store.find("lake/data/_orders.ledger/log"))


def make_project(folder: Path, server: S3Server) -> Path:
    (folder / "in").mkdir()
    for number in range(FILES):
        rows = range(number * ROWS, (number + 1) * ROWS)
        file = folder / "in" / f"{number:03d}.json"
        file.write_text("".join(f'{{"id": {i}}}\n' for i in rows))
        os.utime(file, (1_600_000_000 + number,) * 2)
    (folder / "parts.py").write_text(TRANSFORM)
    jars = [
        str(jar)
        for group in ("s3a", "aws-sdk")
        for jar in sorted(jars_of(group).glob("*.jar"))
        if not jar.name.startswith(SPARKS_OWN)
    ]
    s3a = "spark.hadoop.fs.s3a."
    provider = "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"
    declaration = {
        "checkpoints": "./checkpoints",
        "spark": {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.jars": ",".join(jars),
            f"{s3a}endpoint": server.address,
            f"{s3a}endpoint.region": "us-east-1",
            f"{s3a}path.style.access": "true",
            f"{s3a}connection.ssl.enabled": "false",
            f"{s3a}access.key": "moto",
            f"{s3a}secret.key": SECRET,
            f"{s3a}aws.credentials.provider": provider,
        },
        "jobs": {
            "orders": {
                "source": {
                    "format": "json",
                    "path": "./in",
                    "schema": "id long",
                    "options": {"maxFilesPerTrigger": "1"},
                },
                "transform": "parts:in_parts",
                "sink": {"kind": "files", "path": f"s3a://{TABLE}"},
            }
        },
    }
    (folder / "holdfast.yaml").write_text(json.dumps(declaration))
    return folder


def command(project: Path) -> list[str]:
    return [str(Path(sys.executable).with_name("holdfast")), "run", "--once"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


if __name__ == "__main__":
    sys.exit(main())
