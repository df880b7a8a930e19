"""An Azure storage account of one's own (Azurite) on loopback, in memory.

with azure_server() as server:
    server.create_container("lake")
    url = f"abfss://lake@{ACCOUNT}.dfs.core.windows.net/ck"
    subprocess.run(["holdfast", "show", url], env=server.environment())

Azurite comes from npm, once, into the cache. Account and key are those it is published with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from azure.storage.blob import BlobServiceClient
from scripts.jars.fetch import cache
from scripts.servers.loopback import UnavailableError, answers, free_ports, running

VERSION = "3.37.0"
PROGRAM = "node_modules/azurite/dist/src/blob/main.js"
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass
class AzureServer:
    """A running server."""

    port: int

    def connection_string(self, key: str = KEY, account: str = ACCOUNT) -> str:
        endpoint = f"http://127.0.0.1:{self.port}/{account}"
        return (
            f"DefaultEndpointsProtocol=http;AccountName={account};AccountKey={key};"
            f"BlobEndpoint={endpoint};"
        )

    def variables(self) -> dict[str, str]:
        """With these, adlfs finds this server."""
        return {"AZURE_STORAGE_CONNECTION_STRING": self.connection_string()}

    def environment(self, connection_string: str | None = None) -> dict[str, str]:
        mine = {name: value for name, value in os.environ.items() if not name.startswith("AZURE_")}
        chosen = connection_string or self.connection_string()
        return {**mine, "AZURE_STORAGE_CONNECTION_STRING": chosen}

    def create_container(self, container: str) -> None:
        with self._client() as client:
            client.create_container(container)

    def put(self, container: str, files: dict[str, bytes]) -> None:
        with self._client() as client, client.get_container_client(container) as into:
            for name, content in files.items():
                into.upload_blob(name, content)

    def objects(self, container: str) -> dict[str, tuple[object, ...]]:
        """Every blob with what changes when it is written or touched."""
        with self._client() as client, client.get_container_client(container) as of:
            return {b.name: (b.etag, b.last_modified, b.size) for b in of.list_blobs()}

    def _client(self) -> BlobServiceClient:
        return BlobServiceClient.from_connection_string(self.connection_string())


@contextmanager
def azure_server() -> Iterator[AzureServer]:
    """Start a server on a free port, yield it, stop it."""
    node = shutil.which("node")
    if node is None:
        raise UnavailableError("Azurite needs node, which is not installed: install Node.js")
    (port,) = free_ports(1)
    command = [node, str(installed() / PROGRAM), "--silent", "--skipApiVersionCheck"]
    command += ["--inMemoryPersistence", "--disableTelemetry"]
    command += ["--blobHost", "127.0.0.1", "--blobPort", str(port)]
    with running("Azurite", command, lambda: answers(port)):
        yield AzureServer(port)


def installed() -> Path:
    """The folder that npm put Azurite into, now if it is not there yet."""
    target = cache() / "azurite" / VERSION
    if (target / PROGRAM).exists():
        return target
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError("Azurite comes from npm, which is not installed: install Node.js")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        words = ["install", "--prefix", f"{scratch}/it", "--no-audit", "--no-fund"]
        words += ["--ignore-scripts", f"azurite@{VERSION}"]
        done = subprocess.run([npm, *words], capture_output=True, text=True)
        if done.returncode != 0:
            said = done.stderr.strip()[-300:]
            raise UnavailableError(f"npm could not fetch Azurite (network?): {said}")
        try:
            os.replace(f"{scratch}/it", target)
        except OSError:
            if not (target / PROGRAM).exists():  # somebody else was first, and that is as good
                raise
    return target
