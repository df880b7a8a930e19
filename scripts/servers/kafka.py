"""A real Kafka broker on loopback, for as long as a `with` block lasts.

    with broker() as address:      # "127.0.0.1:41235"
        ...

One process is both broker and controller (KRaft), so nothing else has to run. The jars come from
the group kafka-broker of scripts/jars. The broker is ended by its process id.
"""

from __future__ import annotations

import base64
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "jars"))
import fetch

START_LIMIT_SECONDS = 60
STOP_LIMIT_SECONDS = 15


class BrokerError(Exception):
    """The broker did not come up; the message ends with what it printed last."""


@contextmanager
def broker(partitions: int = 3) -> Iterator[str]:
    """Start a broker on a free port, yield its address, stop it and remove its data."""
    jars = fetch.folder("kafka-broker")
    with tempfile.TemporaryDirectory(prefix="holdfast-kafka-") as folder:
        home = Path(folder)
        port, controller = free_ports(2)
        properties = home / "server.properties"
        properties.write_text(settings(home, port, controller, partitions))
        format_storage(jars, properties)
        with (home / "broker.log").open("w") as log:
            process = subprocess.Popen(
                java(jars, "512m", "kafka.Kafka", str(properties)),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            wait(process, port, home / "broker.log")
            yield f"127.0.0.1:{port}"
        finally:
            stop(process)


def settings(home: Path, port: int, controller: int, partitions: int) -> str:
    """server.properties of a broker that is alone in the world."""
    return "\n".join(
        (
            "process.roles=broker,controller",
            "node.id=1",
            f"controller.quorum.voters=1@127.0.0.1:{controller}",
            f"listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{port}",
            "controller.listener.names=CONTROLLER",
            "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            f"log.dirs={home / 'data'}",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "group.initial.rebalance.delay.ms=0",
            f"num.partitions={partitions}",
            "",
        )
    )


def java(jars: Path, memory: str, *words: str) -> list[str]:
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
    return ["java", f"-Xmx{memory}", quiet, "-cp", f"{jars}/*", *words]


def format_storage(jars: Path, properties: Path) -> None:
    cluster = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
    words = ("kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties))
    done = subprocess.run(java(jars, "256m", *words), capture_output=True, text=True)
    if done.returncode != 0:
        raise BrokerError(f"the broker's storage could not be formatted: {done.stderr[-500:]}")


def wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Until the port answers, the process ends, or the limit is reached."""
    limit = time.monotonic() + START_LIMIT_SECONDS
    while time.monotonic() < limit and process.poll() is None:
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise BrokerError(f"the broker did not come up: {log.read_text()[-500:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it politely, then not."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on now; all are held while the others are found, so they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
