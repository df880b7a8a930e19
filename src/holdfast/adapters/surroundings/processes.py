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
        pass_descriptors: tuple[int, ...] = (),
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
                    pass_fds=pass_descriptors,
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

    def ask_to_end(self) -> None:
        """SIGTERM to the program alone, which ends what it has started."""
        if self._process.poll() is None:
            self._process.terminate()

    def pause(self) -> None:
        """SIGSTOP to every process of the group."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT to every process of the group."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL to every process of the session, and wait for them to be gone.

        Also after the program has ended: what it started may still be there. The session, because
        PySpark puts its Python workers into a process group of their own (pyspark.daemon).
        """
        if self._signal(signal.SIGKILL):
            self._process.wait()
        deadline = time.monotonic() + GONE_WITHIN_S
        while time.monotonic() < deadline and self._living():
            time.sleep(_POLL_S)

    def _living(self) -> bool:
        """Kill whoever is left; whether there was anybody. Zombies count only without /proc."""
        if not os.path.isdir("/proc/self"):
            return self._signal(0)
        others = _session(self._process.pid)
        for pid in others:
            _kill_one(pid)
        return bool(others)

    def _signal(self, number: int) -> bool:
        """Whether there was anybody to hear it; on macOS zombies are not to be signalled."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def _session(leader: int) -> list[int]:
    """Who lives in a session, by /proc."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                state, _parent, _group, session = stat.read().rpartition(b")")[2].split()[:4]
        except OSError:
            continue  # gone meanwhile
        if int(session) == leader and state not in (b"Z", b"X"):
            found.append(int(name))
    return found


def _kill_one(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # gone meanwhile
