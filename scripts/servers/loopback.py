"""Start a server, wait until it answers, stop it by its process id: shared by all servers here."""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

START_LIMIT_SECONDS = 120
STOP_LIMIT_SECONDS = 10
SAID_LAST_CHARACTERS = 500


class UnavailableError(Exception):
    """The server cannot be had on this machine; the message says why and what to do."""


class ServerError(Exception):
    """The server did not come up; the message ends with what it printed last."""


@contextmanager
def running(name: str, command: Sequence[str], ready: Callable[[], bool]) -> Iterator[None]:
    """Run a server for as long as a `with` block lasts."""
    with tempfile.TemporaryDirectory(prefix="holdfast-server-") as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        try:
            wait(name, process, ready, log)
            yield
        finally:
            stop(process)


def wait(name: str, process: subprocess.Popen[bytes], ready: Callable[[], bool], log: Path) -> None:
    """Until it is ready, the process ends, or the limit is reached."""
    limit = time.monotonic() + START_LIMIT_SECONDS
    while time.monotonic() < limit and process.poll() is None:
        if ready():
            return
        time.sleep(0.1)
    said = log.read_text(errors="replace")[-SAID_LAST_CHARACTERS:]
    raise ServerError(f"{name} did not come up: {said}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it politely, then not."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(port: int) -> bool:
    """Whether somebody listens on a port of loopback."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on now."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
