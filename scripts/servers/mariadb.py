"""A real MariaDB on loopback, for as long as a `with` block lasts.

    with mariadb_server() as server:
        pymysql.connect(…)              # mysql://holdfast:…@127.0.0.1:41236/holdfast

MariaDB refuses to run as root unless told: there it runs as a user without rights. The server is
ended by its process id, and its data removed.
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

INSTALL = "apt-get install -y --no-install-recommends mariadb-server-core mariadb-client-core"
"""Programs alone: the package `mariadb-server` would start a server of its own."""
USER, PASSWORD, DATABASE = "holdfast", "a-password-that-must-never-be-shown", "holdfast"
_OWNER, _GROUP = "nobody", "nogroup"
_SETTINGS = (
    "--no-defaults",
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--innodb-buffer-pool-size=64M",
    "--innodb-log-file-size=16M",
    "--innodb-flush-log-at-trx-commit=1",
    "--lc-messages-dir=/usr/share/mysql",
)


@dataclass(frozen=True)
class MariadbServer:
    """A running server."""

    port: int

    @property
    def url(self) -> str:
        return f"mysql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/{DATABASE}"


@contextmanager
def mariadb_server() -> Iterator[MariadbServer]:
    """Start a server on a free port, yield it, stop it and remove its data."""
    server, install = (_program(name) for name in ("mariadbd", "mariadb-install-db"))
    with tempfile.TemporaryDirectory(prefix="holdfast-mariadb-") as folder:
        data, own, first = (Path(folder) / name for name in ("data", "own", "first.sql"))
        data.mkdir()
        own.mkdir()
        first.write_text(
            f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4;\n"
            f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}';\n"
            f"GRANT ALL ON *.* TO '{USER}'@'%' WITH GRANT OPTION;\n"
        )
        if os.getuid() == 0:
            for path in (folder, data, own, first):
                shutil.chown(path, _OWNER, _GROUP)
        # A server that starts removes the temporary tables of others from a folder they share.
        places = [f"--datadir={data}", f"--tmpdir={own}"]
        making = [install, "--no-defaults", *places, "--skip-test-db"]
        making += [f"--user={_OWNER}"] if os.getuid() == 0 else []
        done = subprocess.run(making, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise ServerError(f"mariadb-install-db failed: {(done.stdout + done.stderr)[-500:]}")
        (port,) = free_ports(1)
        command = [server, *_SETTINGS, *places, f"--port={port}"]
        command += [f"--socket={folder}/s", f"--init-file={first}", f"--pid-file={folder}/pid"]
        command += [f"--user={_OWNER}"] if os.getuid() == 0 else []
        # It listens after the first statements were done.
        with running("MariaDB", command, lambda: (Path(folder) / "pid").exists()):
            yield MariadbServer(port)


def _program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin")
    if found is None:
        raise UnavailableError(f"MariaDB is not installed: {INSTALL}")
    return found
