"""A real S3 server (moto) on loopback, for as long as a `with` block lasts; it counts requests.

    with s3_server() as server:
        server.client().create_bucket(Bucket="lake")
        server.forget()
        subprocess.run(["holdfast", "show", "s3://lake/ck"], env=server.environment())
        server.requests()          # [("GET", "/lake?list-type=2&prefix=ck"), ...]

Requests are taken from the server's own log, so that those of any process count. The server keeps
its objects in memory and is ended by its process id.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from scripts.servers.loopback import ServerError, answers, free_ports, stop, wait

SETTLE_LIMIT_SECONDS = 5
REGION = "us-east-1"
SECRET = "moto-secret-that-must-never-be-shown"

_MARK = "/moto-api/mark-"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""Werkzeug colours the lines of answers that are no success, also in a file."""

_REQUEST = re.compile(r'"(?P<method>[A-Z]+) (?P<target>\S+) HTTP/[\d.]+" \d+')


@dataclass
class S3Server:
    """A running server."""

    port: int
    log: Path
    _seen_bytes: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """Variables with which any tool that uses botocore finds this server and nothing else."""
        mine = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return {
            **mine,
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": "moto",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }

    def client(self) -> Any:
        """A botocore client to put things there."""
        return boto3.client(
            "s3",
            endpoint_url=self.address,
            aws_access_key_id="moto",
            aws_secret_access_key=SECRET,
            region_name=REGION,
            config=Config(max_pool_connections=32, s3={"addressing_style": "path"}),
        )

    def upload(self, bucket: str, prefix: str, folder: Path) -> None:
        """Put every plain file below a folder there, but Hadoop's checksums of file://."""
        client = self.client()
        for path in sorted(folder.rglob("*")):
            hidden_checksum = path.name.startswith(".") and path.name.endswith(".crc")
            if path.is_file() and not hidden_checksum:
                key = f"{prefix}/{path.relative_to(folder).as_posix()}"
                client.put_object(Bucket=bucket, Key=key, Body=path.read_bytes())

    def forget(self) -> None:
        """Count from here."""
        self._seen_bytes = self._settled()

    def requests(self) -> list[tuple[str, str]]:
        """Method and target of every request since forget()."""
        end = self._settled()
        with self.log.open("rb") as log:
            log.seek(self._seen_bytes)
            text = log.read(end - self._seen_bytes).decode(errors="replace")
        found = (
            (match["method"], match["target"]) for match in _REQUEST.finditer(_COLOUR.sub("", text))
        )
        return [request for request in found if not request[1].startswith(_MARK)]

    def _settled(self) -> int:
        """Length of the log once it holds a request of our own, and thus all before it.

        A line is written after the answer was sent: the newest requests may not be in it yet.
        """
        mark = f"{_MARK}{time.monotonic_ns()}"
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(f"GET {mark} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
            while connection.recv(65536):
                pass
        limit = time.monotonic() + SETTLE_LIMIT_SECONDS
        while time.monotonic() < limit:
            content = self.log.read_bytes()
            if (place := content.find(mark.encode())) >= 0:
                return content.find(b"\n", place) + 1 or len(content)
            time.sleep(0.02)
        raise ServerError("the server's log does not grow")


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """Start a server on a free port, yield it, stop it."""
    with tempfile.TemporaryDirectory(prefix="holdfast-moto-") as folder:
        log = Path(folder) / "server.log"
        [port] = free_ports(1)
        program = Path(sys.executable).parent / "moto_server"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(program), "-H", "127.0.0.1", "-p", str(port)],
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            wait("the S3 server", process, lambda: answers(port), log)
            yield S3Server(port=port, log=log)
        finally:
            stop(process)
