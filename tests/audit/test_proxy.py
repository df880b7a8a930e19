"""The proxy: what comes through is what was sent, and what waits has not come through."""

import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from scripts.servers.loopback import UnavailableError, free_ports
from scripts.servers.postgres import PASSWORD, USER, PostgresServer, postgres_server
from typer.testing import CliRunner

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.adapters.proxy.connection import Action
from holdfast.adapters.proxy.proxy import Proxy
from holdfast.audit.audit import Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.core.crash.event import tell_nobody
from holdfast.core.crash.point import Key, Point
from holdfast.core.crash.wire.address import ServerAddress
from holdfast.core.crash.wire.message import Message, MessageCall
from holdfast.surfaces.cli.audit import app
from tests.audit.http_shelf import shelf

POSTS = Path(__file__).with_name("little_http_job.py")
JOB = Path(__file__).with_name("little_job.py")
WITHIN_S = 30


# Any server: one that gives back in capitals what it hears


class Echo:
    """A server on loopback that remembers what has reached it."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.changed = threading.Condition()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(caller,), daemon=True).start()

    def _answer(self, caller: socket.socket) -> None:
        with caller:
            while data := caller.recv(100):
                with self.changed:
                    self.heard.append(data)
                    self.changed.notify_all()
                caller.sendall(data.upper())

    def close(self) -> None:
        self._door.close()


@pytest.fixture
def echo() -> Iterator[Echo]:
    server = Echo()
    yield server
    server.close()


@pytest.fixture
def proxy(echo: Echo) -> Iterator[Proxy]:
    opened = Proxy(ServerAddress(protocol="tcp", host="127.0.0.1", port=echo.port))
    yield opened
    opened.close()


def call(proxy: Proxy) -> socket.socket:
    return socket.create_connection((proxy.host, proxy.port), timeout=WITHIN_S)


def at(call: str, action: Action) -> Callable[[Message, threading.Event], Action]:
    return lambda message, _go_on: action if message.call == call else "pass"


def test_bytes_come_through_both_ways(proxy: Proxy) -> None:
    asked: list[Message] = []

    def ask(message: Message, _go_on: threading.Event) -> Action:
        asked.append(message)
        return "pass"

    with proxy.attended(ask), call(proxy) as job:
        for _ in range(2):
            job.sendall(b"hello")
            assert job.recv(100) == b"HELLO"
    assert [(m.connection, m.call, m.name) for m in asked] == [
        (1, "send", "tcp:bytes"),
        (1, "answer", "tcp:bytes"),
    ] * 2


def test_a_connection_that_is_cut_before_a_message_has_not_sent_it(
    proxy: Proxy, echo: Echo
) -> None:
    with proxy.attended(at("send", "cut")), call(proxy) as job:
        job.sendall(b"hello")
        assert _rest(job) == b""
    assert echo.heard == []


def test_a_connection_that_is_cut_before_an_answer_has_sent_it(proxy: Proxy, echo: Echo) -> None:
    with proxy.attended(at("answer", "cut")), call(proxy) as job:
        job.sendall(b"hello")
        assert _rest(job) == b""
    assert echo.heard == [b"hello"]


def test_a_connection_that_hangs_goes_on(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.adapters.proxy.connection.HANG_S", 0.2)
    with proxy.attended(at("answer", "hang")), call(proxy) as job:
        job.sendall(b"hello")
        assert job.recv(100) == b"HELLO"


def test_what_is_held_when_nobody_attends_any_more_never_comes_through(
    proxy: Proxy, echo: Echo
) -> None:
    held = threading.Event()

    def ask(_message: Message, _go_on: threading.Event) -> Action:
        held.set()
        return "hold"

    with proxy.attended(ask):
        job = call(proxy)
        job.sendall(b"hello")
        assert held.wait(WITHIN_S)
    assert _rest(job) == b""
    job.close()
    assert echo.heard == []


def test_one_that_is_held_waits_while_another_is_attended(proxy: Proxy, echo: Echo) -> None:
    """As where a paused job wakes after its successor has done all the work."""
    waiting: list[threading.Event] = []
    held = threading.Event()

    def ask(message: Message, go_on: threading.Event) -> Action:
        if message.call == "answer":
            return "pass"
        waiting.append(go_on)
        held.set()
        return "hold"

    with proxy.attended(ask), call(proxy) as first:
        first.sendall(b"first")
        assert held.wait(WITHIN_S)
        with proxy.attended(at("send", "pass")), call(proxy) as second:
            second.sendall(b"second")
            assert second.recv(100) == b"SECOND"
        waiting[0].set()
        assert first.recv(100) == b"FIRST"
    assert echo.heard == [b"second", b"first"]


def test_a_server_that_is_not_there_is_not_there_through_the_proxy() -> None:
    (port,) = free_ports(1)
    gone = Proxy(ServerAddress(protocol="tcp", host="127.0.0.1", port=port))
    with gone.attended(at("send", "pass")), call(gone) as job:
        assert _rest(job) == b""
    gone.close()


def _rest(job: socket.socket) -> bytes:
    """What comes until the end, however the connection ends."""
    try:
        return job.recv(100)
    except ConnectionError:
        return b""


# PostgreSQL


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        with postgres_server() as running:
            yield running
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.server
def test_a_real_conversation_is_cut_into_its_messages(server: PostgresServer) -> None:
    asked: list[tuple[str, str]] = []

    def ask(message: Message, _go_on: threading.Event) -> Action:
        asked.append((message.call, message.name))
        return "pass"

    with ExitStack() as block:
        proxy = Proxy(ServerAddress(protocol="postgres", host="127.0.0.1", port=server.port))
        block.callback(proxy.close)
        block.enter_context(proxy.attended(ask))
        url = f"postgresql://{USER}:{PASSWORD}@{proxy.address}/postgres"
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE wire (a int, b text)")
            connection.execute("INSERT INTO wire VALUES (%s, %s)", (1, "s3cret"))
            with connection.cursor().copy("COPY wire FROM STDIN") as copy:
                for number in range(3):
                    copy.write_row((number, "x" * 100_000))
    with psycopg.connect(server.url) as connection:
        rows = connection.execute("SELECT a, length(b) FROM wire ORDER BY 1, 2").fetchall()
    assert rows == [(0, 100_000), (1, 6), (1, 100_000), (2, 100_000)]
    copied = ("send", "pg:CopyData")
    assert copied in asked
    assert [each for each in asked if each != copied] == [
        ("send", "pg:Query CREATE"),
        ("answer", "pg:CREATE"),
        ("send", "pg:Execute INSERT"),
        ("answer", "pg:INSERT"),
        ("send", "pg:Query COPY"),
        ("send", "pg:CopyDone"),
        ("answer", "pg:COPY"),
        ("commit", "pg:Query COMMIT"),
        ("acknowledge", "pg:COMMIT"),
    ]


def audited(server: PostgresServer, folder: Path, mode: str, *more: str) -> Any:
    url = f"postgresql://{USER}:{PASSWORD}@{{proxy}}/postgres"
    command = f"{sys.executable} {JOB} {{work}}/ck {mode} postgres {url} {mode}_{{run}}"
    read = f"postgres:{server.url}?table={mode}_{{run}}"
    given = ["--command", command, "--checkpoint", "{work}/ck", "--read", read, "--ignore", "told"]
    given += ["--through", f"postgres=127.0.0.1:{server.port}", "--output", "json"]
    done = CliRunner().invoke(app, [*given, "--folder", str(folder), *more])
    assert PASSWORD not in done.output
    return json.loads(done.stdout)["result"]


def named(call: MessageCall, name: str) -> str:
    """The name of a point of the second batch, which no recording is needed for."""
    key = Key(area="server", call=call, name=name, batch=1, nth=1)
    return Point(number=0, stage="K8", batch=1, key=key).name


@pytest.mark.server
@pytest.mark.skipif(gate_obstacle() is not None, reason="no gate can be had here")
@pytest.mark.parametrize("mode", ["append", "once"])
def test_a_job_is_killed_and_cut_around_its_commit(
    server: PostgresServer, tmp_path: Path, mode: str
) -> None:
    """Before COMMIT nothing is there; before its answer all is, and the job does not know it."""
    points = [named("commit", "pg:Query COMMIT"), named("acknowledge", "pg:COMMIT")]
    given = [word for point in points for word in ("--points", point)]
    given += ["--faults", "kill", "--faults", "cut"]
    result = audited(server, tmp_path / "a", mode, *given)
    told = {
        (each["fault"], each["stage"], each["operation"]): each["outcome"]
        for each in result["outcomes"]
    }
    after = "wrong" if mode == "append" else "exact"
    assert told == {
        ("kill", "K7", "message pg:Query COMMIT"): "exact",
        ("cut", "K7", "message pg:Query COMMIT"): "exact",
        ("kill", "K8", "answer pg:COMMIT"): after,
        ("cut", "K8", "answer pg:COMMIT"): after,
    }
    wrong = [each for each in result["outcomes"] if each["outcome"] == "wrong"]
    assert all(each["comparison"]["duplicated"] == 3 for each in wrong)
    assert result["verdict"] == ("convicted" if mode == "append" else "unknown")
    assert result["messages"] == 36


@pytest.mark.skipif(gate_obstacle() is not None, reason="no gate can be had here")
@pytest.mark.parametrize("mode", ["append", "once"])
def test_a_job_that_posts_is_cut_before_it_hears_the_answer(tmp_path: Path, mode: str) -> None:
    point = named("acknowledge", "http:POST")
    with shelf() as port:
        subject = Subject(
            command=f"{sys.executable} {POSTS} {{work}} {mode} {{proxy}}",
            checkpoint="{work}/ck",
            read="tests.audit.http_shelf:rows",
            through=(f"http=127.0.0.1:{port}",),
        )
        wishes = Wishes(points=(point,), faults=("kill", "cut"), run_twice=False)
        folder, environ = str(tmp_path / "a"), dict(os.environ)
        done = begin(subject, folder=folder, wishes=wishes, environ=environ, tell=tell_nobody)
    expected = "wrong" if mode == "append" else "exact"
    assert [outcome.kind for outcome in done.outcomes] == [expected] * 2
    assert [each.text for each in done.points if each.key.area == "server"] == [
        "message http:POST",
        "answer http:POST",
    ] * done.batches


def test_faults_of_a_connection_need_one(tmp_path: Path) -> None:
    command = f"{sys.executable} {JOB} {{work}}/ck once sqlite {{work}}/out.db"
    given = ["--command", command, "--checkpoint", "{work}/ck", "--faults", "cut"]
    given += ["--read", "sqlite:{work}/out.db?table=t", "--folder", str(tmp_path / "a")]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 2
    assert "--through" in done.output
