"""A real PostgreSQL on loopback, for as long as a `with` block lasts.

    with postgres_server() as server:
        psycopg.connect(server.url)     # postgresql://holdfast:…@127.0.0.1:41235/postgres

PostgreSQL refuses to run as root: there it runs as its own user, who comes with the package. The
server is ended by its process id, and its data removed.
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

from scripts.servers.loopback import ServerError, UnavailableError, free_ports, running

INSTALL = "apt-get install -y --no-install-recommends postgresql"
USER, PASSWORD = "holdfast", "a-password-that-must-never-be-shown"
_OWNER = "postgres"
_SETTINGS = (
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",  # of a server that nobody will ask for its data again
    "max_prepared_transactions=10",
)


@dataclass(frozen=True)
class PostgresServer:
    """A running server."""

    port: int

    @property
    def url(self) -> str:
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/postgres"


@contextmanager
def postgres_server(*, durable: bool = False) -> Iterator[PostgresServer]:
    """Start a server on a free port, yield it, stop it and remove its data.

    `durable`: it asks the disk for every commit, as a server does that somebody measures.
    """
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="holdfast-postgres-") as folder:
        data, secret = Path(folder) / "data", Path(folder) / "password"
        secret.write_text(PASSWORD)
        if os.getuid() == 0:
            for path in (folder, secret):
                shutil.chown(path, _OWNER, _OWNER)
        initdb = [*_as_owner(), str(programs / "initdb"), "-D", str(data), "-U", USER, "-N"]
        initdb += ["-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "--locale", "C"]
        done = subprocess.run(initdb, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise ServerError(f"initdb failed: {done.stderr[-500:]}")
        (port,) = free_ports(1)
        command = [*_as_owner(), str(programs / "postgres"), "-D", str(data), "-p", str(port)]
        for setting in (*_SETTINGS, *(["fsync=on"] if durable else [])):
            command += ["-c", setting]
        # It listens before it lets anybody in.
        asking = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        with running("PostgreSQL", command, lambda: subprocess.run(asking).returncode == 0):
            yield PostgresServer(port)


def _programs() -> Path:
    """The newest of the installed versions."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    if found:
        return found[-1].parent
    other = shutil.which("initdb")
    if other is None:
        raise UnavailableError(f"PostgreSQL is not installed: {INSTALL}")
    return Path(other).parent


def _version(program: Path) -> float:
    return float(program.parts[-3])


def _as_owner() -> list[str]:
    """Not runuser, which stays between us and the server: the process id would not be its own."""
    if os.getuid() != 0:
        return []
    return ["setpriv", f"--reuid={_OWNER}", f"--regid={_OWNER}", "--init-groups"]
