"""Writers in other processes, seen from a test: started, paused, killed, heard to the end."""

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from holdfast.adapters.gate.listener import Decide, Ended, Gate, Held
from holdfast.adapters.surroundings.process_environment import variables
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.core.crash.operation import Operation
from holdfast.testing.candidate import Candidate
from holdfast.testing.order import Order, Report

_PROGRAM = "holdfast.testing.writer"
"""Run by name, never imported."""
_WITHIN_S = 60.0
"""No writer of a few rows needs so long; one that does hangs."""
_LOOK_S = 0.02
_PIECE_BYTES = 65_536
_LOG_LINES_SHOWN = 15


class Writer:
    """One process that writes a few batches."""

    def __init__(self, writers: "Writers", order: Order) -> None:
        """Made by Writers.start."""
        self._writers = writers
        self.order = order
        self.pid: int | None = None
        self.facts: dict[str, Any] = {}
        self.is_paused = False
        self.exit_code: int | None = None

    def ended(self, within_s: float = _WITHIN_S) -> Report | None:
        """How it ended; None where it has not within the time."""
        self._writers.hear(lambda: self.exit_code is not None, within_s)
        return None if self.exit_code is None else self._report()

    def report(self) -> Report:
        """How it ended; waits for it."""
        report = self.ended()
        if report is None:
            raise AssertionError(f"a writer did not end within {_WITHIN_S:g} s: {self.order}")
        return report

    def await_pause(self) -> bool:
        """Wait until it has paused; False where it ended first."""
        self._writers.hear(lambda: self.is_paused or self.exit_code is not None, _WITHIN_S)
        return self.is_paused

    def go_on(self) -> None:
        """Wake it up."""
        self.is_paused = False
        self._signal(signal.SIGCONT)

    def kill(self) -> Report:
        """SIGKILL to its whole process group."""
        self._signal(signal.SIGKILL)
        self._writers.hear(lambda: self.exit_code is not None, _WITHIN_S, watched=False)
        return self.report()

    def await_operation(self, number: int) -> Operation | None:
        """Hold it before its n-th durable file operation; None where it ended before."""
        root = str(Path(self.order.folder).resolve())
        seen = 0

        def decide(operation: Operation) -> int | Literal["hold"]:
            nonlocal seen
            if operation.path != root and not operation.path.startswith(f"{root}/"):
                return 0
            seen += 1
            return "hold" if seen == number else 0

        return self._writers.hold(self, decide)

    def _signal(self, number: int) -> None:
        self._writers.hear(lambda: self.pid is not None, _WITHIN_S, watched=False)
        assert self.pid is not None
        if self.exit_code is None:
            os.killpg(self.pid, number)

    def _report(self) -> Report:
        assert self.exit_code is not None
        facts = {**self.facts, "wrote": tuple(self.facts.get("wrote", ()))}
        return Report(exit_code=self.exit_code, **facts)


class Writers:
    """The program that makes writers; none of them outlives the `with` block."""

    def __init__(self, candidate: Candidate, folder: Path, *, gated: bool = False) -> None:
        """Start it with its logs in a folder; gated, its file operations can be held."""
        setting = json.dumps(_setting(candidate))
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "writers.log"
        self._pending = b""
        self._is_ready = False
        self._writers: dict[int, Writer] = {}
        self._held: Held | None = None
        self._channel, theirs = socket.socketpair()
        number = theirs.fileno()
        arguments = [sys.executable, "-m", _PROGRAM, str(number), setting]
        with theirs:
            places: dict[str, Any] = {
                "folder": Path.cwd(),
                "environ": {**variables(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                "output": folder / "writers.out",
                "talk": self._log,
                "pass_descriptors": (number,),
            }
            self._gate = Gate(arguments, **places) if gated else None
            self._group = self._gate.group if self._gate else ProcessGroup(arguments, **places)

    def __enter__(self) -> Self:
        try:
            self.hear(lambda: self._is_ready, _WITHIN_S)
            if not self._is_ready:
                raise AssertionError(f"the test file could not be imported within {_WITHIN_S:g} s")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_reason: object) -> None:
        self.close()

    def close(self) -> None:
        """End every writer, and what makes them."""
        self._channel.close()
        if self._gate is not None:
            self._gate.__exit__()
        else:
            self._group.kill()

    def start(self, order: Order) -> Writer:
        """Start a writer."""
        number = len(self._writers) + 1
        writer = self._writers[number] = Writer(self, order)
        told = {"writer": number, "order": order.to_json()}
        self._channel.sendall(json.dumps(told).encode() + b"\n")
        return writer

    def run(self, order: Order) -> Report:
        """Start a writer and wait for its end."""
        return self.start(order).report()

    def hold(self, writer: Writer, decide: Decide) -> Operation | None:
        """Until an operation is held, or the writer has ended."""
        assert self._gate is not None
        deadline = time.monotonic() + _WITHIN_S
        while writer.exit_code is None:
            self._held = self._watch(decide)
            if self._held is not None:
                return self._held.operation
            self._listen(0.0)
            if time.monotonic() > deadline:
                raise AssertionError(f"a writer did not end within {_WITHIN_S:g} s: {writer.order}")
        return None

    def release(self) -> None:
        """Let the operation that is held have its effect."""
        assert self._gate is not None and self._held is not None
        self._gate.release(self._held)

    def hear(self, until: Callable[[], bool], within_s: float, *, watched: bool = True) -> None:
        """Listen to the writers until something is so, or the time is over.

        Meanwhile every file operation passes; `watched=False` where none is to come.
        """
        deadline = time.monotonic() + within_s
        while not until() and time.monotonic() < deadline:
            if self._gate is None or not watched:
                self._listen(_LOOK_S)
            else:
                self._watch(lambda operation: 0)
                self._listen(0.0)

    def _watch(self, decide: Decide) -> Held | None:
        assert self._gate is not None
        end = self._gate.watch(decide, within_s=_LOOK_S)
        if isinstance(end, Ended):
            raise self._gone()
        return end

    def _listen(self, within_s: float) -> None:
        readable, _, _ = select.select([self._channel], [], [], within_s)
        if not readable:
            return
        piece = self._channel.recv(_PIECE_BYTES)
        if not piece:
            raise self._gone()
        *lines, self._pending = (self._pending + piece).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _take(self, told: dict[str, Any]) -> None:
        if told["said"] == "ready":
            self._is_ready = True
            return
        writer = self._writers[told["writer"]]
        match told["said"]:
            case "started":
                writer.pid = told["pid"]
            case "paused":
                writer.is_paused = True
            case "facts":
                writer.facts.update(told["facts"])
            case "ended":
                writer.exit_code = told["exit_code"]

    def _gone(self) -> AssertionError:
        self._group.wait(1.0)
        said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        told = "\n".join(said[-_LOG_LINES_SHOWN:])
        return AssertionError(f"the process that makes writers has died:\n{told}")


def _setting(candidate: Candidate) -> dict[str, Any]:
    """Where another process finds the class of the candidate."""
    kind = type(candidate)
    if "<locals>" in kind.__qualname__:
        raise AssertionError(
            f"{kind.__qualname__} is made inside a function: other processes cannot import it"
        )
    module = sys.modules[kind.__module__]
    return {
        "path": sys.path,
        "module": kind.__module__,
        "file": module.__file__,
        "name": kind.__qualname__,
    }
