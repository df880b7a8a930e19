"""Programs in a process group of their own, which can be paused and killed whole."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from holdfast.errors import UnreachableError

GONE_WITHIN_S = 2.0
"""Where nobody takes leave of orphans (a container without an init), they stay as zombies."""
_POLL_S = 0.005


class ProcessGroup:
    """One program and whatever it starts; none of them outlives the `with` block."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environ: Mapping[str, str],
        output: Path,
        talk: Path,
    ) -> None:
        """Start it in a folder, with its standard output and its talk in files."""
        try:
            # Files, not pipes: nobody has to read along so that it can go on.
            with output.open("wb") as out, talk.open("wb") as said:
                self._process = subprocess.Popen(
                    list(arguments),
                    cwd=folder,
                    env=dict(environ),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=said,
                    start_new_session=True,
                )
        except OSError as error:
            raise UnreachableError(
                f"cannot be started: {error.strerror or error}", subject=arguments[0]
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        self.kill()

    def ended(self) -> int | None:
        """The exit code of the program, None while it runs."""
        return self._process.poll()

    def wait(self, seconds: float) -> int | None:
        """The exit code of the program, None where it still runs after this time."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def pause(self) -> None:
        """SIGSTOP to every process of the group."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT to every process of the group."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL to every process of the group, and wait for them to be gone.

        Also after the program has ended: what it started may still be there.
        """
        if not self._signal(signal.SIGKILL):
            return
        self._process.wait()
        deadline = time.monotonic() + GONE_WITHIN_S
        while self._signal(0) and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    def _signal(self, number: int) -> bool:
        """Whether there was anybody to hear it; on macOS zombies are not to be signalled."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True
