"""The ways of jobs to their servers: declared ones, programs, and functions that cannot be led."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.foreach_batch import __path__ as FOREACH_BATCH
from holdfast.adapters.sinks.opening import open_sink
from holdfast.audit.declared import declared_workload
from holdfast.audit.sight import Sight
from holdfast.audit.through import Way, lead_through
from holdfast.core.crash.operation import Operation
from holdfast.core.crash.place import Layout
from holdfast.core.crash.point import MORE, STARTING, Key, Tracker, points_of
from holdfast.core.crash.wire.message import Message, MessageCall
from holdfast.core.running.ports import TrialTarget
from holdfast.errors import UnreachableError
from holdfast.flows.declaration import load
from tests.audit.declared_project import JOB, write_project
from tests.audit.test_parts import Shown, sight_of

SECRET = "a-password-that-must-never-be-shown"


# Points


def heard(*messages: tuple[int, MessageCall, str], steady: bool = True) -> list[tuple[str, int]]:
    tracker = Tracker(Layout(roots={}), planned=None, committed=None)
    found = []
    for connection, call, name in messages:
        known = tracker.hear(Message(connection=connection, call=call, name=name, steady=steady))
        if known is not None:
            found.append((known[0].name, known[0].nth))
    return found


def test_of_a_row_of_equal_messages_the_first_two_are_points() -> None:
    row: list[tuple[int, MessageCall, str]] = [(1, "send", "pg:CopyData")] * 5
    assert heard(*row, (1, "send", "pg:CopyDone"), *row[:1]) == [
        ("pg:CopyData", 1),
        (f"pg:CopyData{MORE}", 1),
        ("pg:CopyDone", 1),
        ("pg:CopyData", 2),
    ]


def test_answers_do_not_end_a_row_nor_do_other_connections() -> None:
    turn: list[tuple[int, MessageCall, str]] = [
        (1, "send", "a"),
        (1, "answer", "a"),
        (2, "send", "b"),
    ]
    assert heard(*turn * 3) == [
        ("a", 1),
        ("a", 1),
        ("b", 1),
        (f"a{MORE}", 1),
        (f"a{MORE}", 1),
        (f"b{MORE}", 1),
    ]


def test_connections_in_any_order_have_the_same_points() -> None:
    one: list[tuple[int, MessageCall, str]] = [
        (1, "send", "a"),
        (1, "send", "a"),
        (1, "commit", "c"),
    ]
    two = [(2, call, name) for _, call, name in one]
    mixed = [each for pair in zip(one, two, strict=True) for each in pair]
    assert sorted(heard(*one, *two)) == sorted(heard(*mixed))


def test_of_messages_that_are_not_steady_the_first_of_a_batch_is_a_point() -> None:
    again: list[tuple[int, MessageCall, str]] = [
        (1, "send", "a"),
        (1, "send", "b"),
        (2, "send", "a"),
    ]
    assert heard(*again, steady=False) == [("a", 1), ("b", 1)]


def test_messages_fall_into_the_steps_of_the_sink() -> None:
    tracker = Tracker(Layout(roots={"checkpoint": "/c"}), planned=None, committed=None)
    calls: tuple[MessageCall, ...] = ("send", "answer", "commit", "acknowledge")

    def said(connection: int) -> list[tuple[Key, int] | None]:
        told = [Message(connection=connection, call=call, name=f"pg:{call}") for call in calls]
        return [tracker.hear(message) for message in told]

    found = said(1)
    found.append(tracker.see(Operation(call="rename", path="/c/offsets/0")))
    found += said(2)
    found.append(tracker.see(Operation(call="rename", path="/c/commits/0")))
    found += said(3)
    points = points_of([known for known in found if known is not None])
    stages = ["K0"] * 4 + ["K2", "K6", "K6", "K7", "K8", "K10"] + ["K14"] * 4
    assert [point.stage for point in points] == stages
    assert points[0].batch == STARTING
    assert [point.text for point in points[5:9]] == [
        "message pg:send (2)",
        "answer pg:answer (2)",
        "message pg:commit (2)",
        "answer pg:acknowledge (2)",
    ]


# Declared jobs


class ServerSink:
    """A sink whose table lies on a server."""

    name = "there"
    last: int | None = None

    def trial(self, folder: str, run: str) -> TrialTarget:
        return TrialTarget(
            options={"table": run},
            root=None,
            read=f"sqlite:{folder}/x.db?table=t",
            servers={"url": "postgres"},
        )

    def end_trial(self, run: str) -> None:
        pass

    def last_batch(self, query_id: str) -> int | None:
        return self.last


def test_a_declared_job_is_led_through_a_proxy_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(kind: str, options: Mapping[str, Any]) -> Any:
        return ServerSink() if kind == "sql" else open_sink(kind, options)

    monkeypatch.setattr("holdfast.audit.declared.open_sink", opened)
    file = write_project(tmp_path / "project", "sqlite-append")
    url = f"postgresql://me:{SECRET}@db.example:6543/x"
    text = file.read_text().replace('"sqlite:///./out.db"', '"${env:TARGET}"')
    file.write_text(text)
    monkeypatch.setenv("TARGET", url)
    declaration = load(str(file), None)
    environ = {**os.environ, "TARGET": url}
    workload = declared_workload(
        declaration, JOB, text=text, folder=tmp_path, environ=environ, read=None
    )
    place = tmp_path / "trial-1"
    place.mkdir()
    with workload.furnish(place) as room:
        (proxy,) = room.proxies
        led = f"postgresql://me:{SECRET}@{proxy.address}/x"
        assert room.environ["HOLDFAST_SINK_URL"] == led
        assert room.environ["HOLDFAST_STEPS"] == str(place / "steps")
        monkeypatch.setenv("HOLDFAST_SINK_URL", led)
        copy = load(str(place / "holdfast.yaml"), None)
        assert copy.jobs[0].sink.options["url"] == led
        assert SECRET not in (place / "holdfast.yaml").read_text()
        assert room.last_batch is not None
        assert room.last_batch() is None, "there is no query yet"


@pytest.mark.parametrize("url", ["https://api.example/x", "postgresql:///x"])
def test_a_server_that_cannot_be_listened_to_is_reached_as_before(url: str) -> None:
    target = TrialTarget(options={}, root=None, read="", servers={"url": "http"})
    assert lead_through(target, {"url": url}) == Way()


# The ledger


def ledgered(last_batch: Callable[[], int | None]) -> Sight:
    sight = sight_of(Shown())
    sight._room = replace(sight._room, last_batch=last_batch)
    return sight


def test_a_ledger_that_goes_back_is_seen() -> None:
    marks: list[int | None] = [None, 0, 1, 1, 0]
    sight = ledgered(lambda: marks.pop(0))
    for _ in range(4):
        sight.look()
        assert sight.torn == ""
    sight.look()
    assert sight.torn == "the ledger of the sink went back from batch 1 to batch 0"


def test_a_ledger_that_cannot_be_asked_proves_nothing() -> None:
    def fails() -> int | None:
        raise UnreachableError("away")

    sight = ledgered(fails)
    sight.look()
    assert sight.torn == ""


# Functions of foreachBatch

FAKE = """
class DataStreamWriter:
    def foreachBatch(self, func):
        "of Spark"
        self.func = func
        return self
"""
PROGRAM = """
import os
from pyspark.sql.streaming.readwriter import DataStreamWriter

def write(frame, batch_id):
    print("write", frame, batch_id, *sorted(n.split("-")[2] for n in os.listdir("steps")))

DataStreamWriter().foreachBatch(write).func("frame", 7)
print(DataStreamWriter.foreachBatch.__doc__, *sorted(n.split("-")[2] for n in os.listdir("steps")))
"""


def run(folder: Path, *, zipped: bool = False, **environ: str) -> list[str]:
    """The program, with Spark's module in a folder or, as spark-submit has it, in an archive."""
    package = folder / "spark" / "pyspark" / "sql" / "streaming"
    package.mkdir(parents=True)
    for place in (package, package.parent, package.parent.parent):
        (place / "__init__.py").write_text("")
    (package / "__init__.py").write_text("from pyspark.sql.streaming import readwriter, query")
    (package / "query.py").write_text("")
    (package / "readwriter.py").write_text(FAKE)
    spark = str(folder / "spark")
    if zipped:
        spark = shutil.make_archive(spark, "zip", spark)
    (folder / "own").mkdir()
    (folder / "own" / "sitecustomize.py").write_text("print('theirs')")
    (folder / "steps").mkdir()
    paths = os.pathsep.join([*FOREACH_BATCH, str(folder / "own"), spark])
    surroundings = {**os.environ, "PYTHONPATH": paths, **environ}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, cwd=folder, env=surroundings, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("zipped", [False, True])
def test_a_program_tells_when_its_function_is_called_and_has_returned(
    tmp_path: Path, zipped: bool
) -> None:
    assert run(tmp_path, zipped=zipped, HOLDFAST_STEPS="steps") == [
        "theirs",
        "write frame 7 called",
        "of Spark called returned",
    ]


def test_a_program_that_nobody_watches_is_left_alone(tmp_path: Path) -> None:
    assert run(tmp_path) == ["theirs", "write frame 7", "of Spark"]
