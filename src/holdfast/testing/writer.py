"""Runs as a program of its own: makes writers, to be killed or paused at any moment.

    python -m holdfast.testing.writer SOCKET SETTING

SOCKET is an inherited descriptor, SETTING says in JSON where the test class is. The program
imports the test file once and forks one writer for each order, each in a process group of its
own: a process that has imported everything, and opened nothing, is there in milliseconds.
"""

import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from holdfast.errors import FencedError
from holdfast.testing.candidate import QUERY, Candidate, Row, batch_of
from holdfast.testing.order import MomentKind, Order

_LOOK_S = 0.003
_PIECE_BYTES = 65_536

Tell = Callable[[Mapping[str, Any]], None]


def _serve(channel: socket.socket, candidate: Candidate) -> None:
    """Until the other side is gone; no writer outlives that."""
    living: dict[int, int] = {}
    pending = b""

    def tell(said: Mapping[str, Any]) -> None:
        channel.sendall(json.dumps(said).encode() + b"\n")

    tell({"said": "ready"})
    while True:
        readable, _, _ = select.select([channel], [], [], _LOOK_S if living else None)
        if readable:
            piece = channel.recv(_PIECE_BYTES)
            if not piece:
                break
            *lines, pending = (pending + piece).split(b"\n")
            for line in lines:
                told = json.loads(line)
                pid = _fork(candidate, told, tell)
                living[pid] = told["writer"]
                tell({"said": "started", "writer": told["writer"], "pid": pid})
        _tell_changes(living, tell)
    for pid in living:
        os.killpg(pid, signal.SIGKILL)


def _fork(candidate: Candidate, told: Mapping[str, Any], tell: Tell) -> int:
    pid = os.fork()
    if pid != 0:
        os.setpgid(pid, pid)  # here as well: whoever comes first
        return pid
    code = 1
    try:
        os.setpgid(0, 0)
        _write(candidate, Order.from_json(told["order"]), _Voice(told["writer"], tell))
        code = 0
    finally:
        sys.stderr.flush()
        os._exit(code)


def _tell_changes(living: dict[int, int], tell: Tell) -> None:
    for pid, number in list(living.items()):
        changed, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if not changed:
            continue
        if os.WIFSTOPPED(status):
            tell({"said": "paused", "writer": number})
            continue
        del living[pid]
        tell({"said": "ended", "writer": number, "exit_code": os.waitstatus_to_exitcode(status)})


class _Voice:
    """A writer's way to say something about itself."""

    def __init__(self, number: int, tell: Tell) -> None:
        self._number = number
        self._tell = tell

    def say(self, **facts: Any) -> None:
        self._tell({"said": "facts", "writer": self._number, "facts": facts})


def _write(candidate: Candidate, order: Order, voice: _Voice) -> None:
    counted: Counter[str] = Counter()

    def reach(kind: MomentKind, text: str) -> None:
        counted[kind] += 1
        if order.at is None or (kind, counted[kind]) != (order.at.kind, order.at.number):
            return
        voice.say(reached=text)
        if order.then == "kill":
            os.killpg(0, signal.SIGKILL)
        else:
            os.kill(os.getpid(), signal.SIGSTOP)

    def rows(batch_id: int) -> Iterator[Row]:
        for number, row in enumerate(candidate.rows(batch_id), start=1):
            reach("row", f"before row {number} of batch {batch_id}")
            yield row
        reach("row", f"after the last row of batch {batch_id}")

    wrote: list[bool] = []
    try:
        sink = candidate.open_sink(Path(order.folder))
        if hasattr(sink, "listen"):
            sink.listen(lambda step: reach("step", f"at its step {step!r} ({len(wrote)} written)"))
        sink.open(QUERY, order.epoch)
        voice.say(found=sink.last_batch(QUERY))
        for batch_id in order.batches:
            reach("write", f"before the write of batch {batch_id}")
            given = partial(rows, batch_id)
            batch = batch_of(candidate, sink, batch_id, epoch=order.epoch, rows=given)
            wrote.append(sink.write(batch))
            voice.say(wrote=wrote)
        voice.say(last=sink.last_batch(QUERY))
    except Exception as error:  # noqa: BLE001 - a foreign sink may raise anything; the test judges
        traceback.print_exc()
        voice.say(
            error=f"{type(error).__name__}: {error}", is_fenced=isinstance(error, FencedError)
        )


def _load(setting: Mapping[str, Any]) -> Candidate:
    """The class of the test file, imported as pytest did, or from its file."""
    sys.path[:] = setting["path"]
    try:
        module = importlib.import_module(setting["module"])
    except ModuleNotFoundError as error:
        if error.name is None or not f"{setting['module']}.".startswith(f"{error.name}."):
            raise
        module = _from_file(setting["module"], setting["file"])
    candidate: Candidate = attrgetter(setting["name"])(module)()
    return candidate


def _from_file(name: str, file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])), _load(json.loads(sys.argv[2])))
