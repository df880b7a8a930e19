"""Where no gate can be had: look at the folders again and again, and stop the job when seen.

What is seen has happened already, so a job is stopped somewhat after the point that was aimed at;
whoever asks must look at what was really left. Steps that a sink announces wait for us (see
adapters/sinks/step_files.py), so those are exact.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from holdfast.adapters.gate.listener import Decide, Ended, Held
from holdfast.adapters.sinks.step_files import FOLDER, WAIT
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.core.crash.operation import Operation

_POLL_S = 0.001
_SUFFIXES = ("", "-journal", "-wal")


class Watcher:
    """One program and whatever it starts, watched; in place of a Gate, with the same methods."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        roots: Sequence[str],
        steps: str | None,
        folder: Path,
        environ: Mapping[str, str],
        output: Path,
        talk: Path,
    ) -> None:
        """Start it; what lies below the roots now is known."""
        self._roots = [*roots, *([] if steps is None else [steps])]
        self._steps = steps
        self._known = set(self._names())
        self._interruption: Held | None = None
        waiting = {} if steps is None else {FOLDER: steps, WAIT: "1"}
        self.group = ProcessGroup(
            arguments, folder=folder, environ={**environ, **waiting}, output=output, talk=talk
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        self.group.kill()

    def watch(self, decide: Decide, *, within_s: float) -> Held | Ended | None:
        """Ask about each change that is seen, until one is held or the program ends."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            code = self.group.ended()
            held, self._interruption = self._interruption, None
            held = held or self._look(decide)
            if held is not None:
                return held
            if code is not None:
                return Ended(exit_code=code)
            time.sleep(_POLL_S)
        return None

    def interrupt(self, held: Held) -> None:
        """End the watch, from another thread: something else than an operation is held."""
        self._interruption = held

    def release(self, held: Held, error: int = 0) -> None:
        """Let the program go on; it cannot be made to fail here."""
        assert error == 0
        if held.message is not None:
            held.message.set()
            return
        self.group.go_on()
        self._let_go(held.operation.path)

    def _look(self, decide: Decide) -> Held | None:
        names = set(self._names())
        new, gone = sorted(names - self._known), sorted(self._known - names)
        for path, operation in [
            *((path, Operation(call="rename", path=path)) for path in new),
            *((path, Operation(call="unlink", path=path)) for path in gone),
        ]:
            (self._known.add if path in names else self._known.discard)(path)
            if decide(operation) == "hold":
                self.group.pause()
                return Held(operation=operation, cookie=0)
            self._let_go(path)
        return None

    def _let_go(self, path: str) -> None:
        if self._steps is not None and path.startswith(f"{self._steps}/"):
            self._known.discard(path)
            Path(path).unlink(missing_ok=True)

    def _names(self) -> list[str]:
        found: list[str] = []
        for root in self._roots:
            if os.path.isdir(root):
                for folder, _, names in os.walk(root):
                    found += [f"{folder}/{name}" for name in names]
            else:
                beside = [f"{root}{suffix}" for suffix in _SUFFIXES]
                found += [path for path in beside if os.path.exists(path)]
        # Temporary files come and go faster than anybody looks: what counts is what stays.
        return [path for path in found if not path.endswith((".tmp", ".crc"))]
