"""A real HDFS on loopback: one name node and one data node in one Java process.

with hdfs_server() as server:
    server.put({"/ck/offsets/0": b"v1"})
    subprocess.run(["holdfast", "show", f"{server.address}/ck"])

One jar comes from the group hdfs of scripts/jars, the rest is inside pyspark.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark
from hdfs_native import Client, WriteOptions
from scripts.jars import fetch
from scripts.servers.loopback import UnavailableError, free_ports, running

MAIN = "org.apache.hadoop.test.MiniDFSClusterManager"
WRITERS = 16
FROM_PYSPARK = (
    "hadoop-client-api",
    "hadoop-client-runtime",
    "slf4j-api",
    "jcl-over-slf4j",
    "log4j-1.2-api",
    "log4j-api",
    "log4j-core",
    "log4j-slf4j2-impl",
)


@dataclass
class HdfsServer:
    """A running server."""

    port: int

    @property
    def address(self) -> str:
        return f"hdfs://127.0.0.1:{self.port}"

    def client(self) -> Client:
        return Client(self.address)

    def put(self, files: dict[str, bytes]) -> None:
        """Write files by their absolute paths, many at once: closing one takes half a second."""
        client = self.client()

        def write(path: str) -> None:
            with client.create(path, WriteOptions()) as writer:
                writer.write(files[path])

        with ThreadPoolExecutor(max_workers=WRITERS) as pool:
            list(pool.map(write, files))

    def files(self, folder: str) -> dict[str, tuple[int, int, int]]:
        """Everything below a folder, with what changes when it is written."""
        listed = self.client().list_status(folder, True)
        return {e.path: (e.length, e.modification_time, e.permission) for e in listed}


@contextmanager
def hdfs_server() -> Iterator[HdfsServer]:
    """Start a server on a free port, yield it, stop it and remove its data."""
    java = shutil.which("java")
    if java is None:
        raise UnavailableError("HDFS needs java, which is not installed")
    classes = class_path()
    port, http = free_ports(2)
    with tempfile.TemporaryDirectory(prefix="holdfast-hdfs-") as folder:
        details = Path(folder) / "details.json"
        command = [java, "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", classes, MAIN, "-format"]
        command += ["-datanodes", "1", "-nnport", str(port), "-httpport", str(http)]
        command += ["-D", f"hdfs.minidfs.basedir={folder}/data", "-writeDetails", str(details)]
        with running("HDFS", command, lambda: details.exists() and details.stat().st_size > 0):
            yield HdfsServer(port)


def class_path() -> str:
    try:
        own = sorted(fetch.folder("hdfs").glob("*.jar"))
    except fetch.FetchError as error:
        raise UnavailableError(str(error)) from error
    inside = Path(pyspark.__file__).parent / "jars"
    shared = [jar for name in FROM_PYSPARK for jar in sorted(inside.glob(f"{name}-[0-9]*.jar"))]
    if len(shared) < len(FROM_PYSPARK):
        raise UnavailableError(f"pyspark {pyspark.__version__} lacks jars of Hadoop: {shared}")
    return ":".join(map(str, [*own, *shared]))
