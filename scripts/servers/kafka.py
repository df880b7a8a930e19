"""A real Kafka broker on loopback, for as long as a `with` block lasts.

    with broker() as address:      # "127.0.0.1:41235"
        ...

One process is both broker and controller (KRaft), so nothing else has to run. The jars come from
the group kafka-broker of scripts/jars. The broker is ended by its process id.
"""

from __future__ import annotations

import base64
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.jars import fetch
from scripts.servers.loopback import ServerError, UnavailableError, answers, free_ports, running


@contextmanager
def broker(partitions: int = 3) -> Iterator[str]:
    """Start a broker on a free port, yield its address, stop it and remove its data."""
    try:
        jars = fetch.folder("kafka-broker")
    except fetch.FetchError as error:
        raise UnavailableError(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="holdfast-kafka-") as folder:
        home = Path(folder)
        port, controller = free_ports(2)
        properties = home / "server.properties"
        properties.write_text(settings(home, port, controller, partitions))
        format_storage(jars, properties)
        command = java(jars, "512m", "kafka.Kafka", str(properties))
        with running("the broker", command, lambda: answers(port)):
            yield f"127.0.0.1:{port}"


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
        raise ServerError(f"the broker's storage could not be formatted: {done.stderr[-500:]}")
