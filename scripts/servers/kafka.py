"""A real Kafka broker on loopback, for as long as a `with` block lasts.

    with broker() as address:      # "127.0.0.1:41235"
        ...
    with restartable_broker() as running:
        running.kill()             # SIGKILL
        running.start()            # with what it had, at the same address

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
from scripts.servers.loopback import (
    ServerError,
    UnavailableError,
    answers,
    free_ports,
    stop,
    wait,
)


class Broker:
    """A broker with data of its own, which may be killed and started again."""

    def __init__(self, jars: Path, home: Path, partitions: int) -> None:
        self._jars = jars
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None
        self._port, controller, self._behind_port, self.door = free_ports(4)
        # Clients that begin at `behind` are told to go on at `door`, where a proxy may stand.
        self.address = f"127.0.0.1:{self._port}"
        self.behind = f"127.0.0.1:{self._behind_port}"
        self._properties = home / "server.properties"
        ports = (self._port, controller, self._behind_port, self.door)
        self._properties.write_text(settings(home, ports, partitions))
        format_storage(jars, self._properties)

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = self._home / "server.log"
        command = java(self._jars, "512m", "kafka.Kafka", str(self._properties))
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        wait("the broker", self._process, lambda: answers(self._port), log)

    def kill(self) -> None:
        """End it as a power switch does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process)


@contextmanager
def broker(partitions: int = 3) -> Iterator[str]:
    """Start a broker on a free port, yield its address, stop it and remove its data."""
    with restartable_broker(partitions) as running:
        yield running.address


@contextmanager
def restartable_broker(partitions: int = 3) -> Iterator[Broker]:
    """Start a broker on free ports, yield it, stop it and remove its data."""
    try:
        jars = fetch.folder("kafka-broker")
    except fetch.FetchError as error:
        raise UnavailableError(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="holdfast-kafka-") as folder:
        running = Broker(jars, Path(folder), partitions)
        try:
            running.start()
            yield running
        finally:
            running.stop()


def settings(home: Path, ports: tuple[int, int, int, int], partitions: int) -> str:
    """server.properties of a broker that is alone in the world."""
    port, controller, behind, door = ports
    plain, other, inner = (
        f"{name}://127.0.0.1:{number}"
        for name, number in (("PLAINTEXT", port), ("BEHIND", behind), ("CONTROLLER", controller))
    )
    protocols = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,BEHIND:PLAINTEXT"
    return "\n".join(
        (
            "process.roles=broker,controller",
            "node.id=1",
            f"controller.quorum.voters=1@127.0.0.1:{controller}",
            f"listeners={plain},{other},{inner}",
            f"advertised.listeners={plain},BEHIND://127.0.0.1:{door}",
            "controller.listener.names=CONTROLLER",
            f"listener.security.protocol.map={protocols}",
            f"log.dirs={home / 'data'}",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "inter.broker.listener.name=PLAINTEXT",
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
