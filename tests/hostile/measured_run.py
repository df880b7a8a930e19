"""Run the installed command in a process of its own, and measure what it took."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOLDFAST = Path(sys.executable).parent / "holdfast"
RSS_MAX_MB = 512
SECONDS_MAX = 30
_ADDRESS_SPACE_MAX = 4 * 1024**3


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What one run printed, how it ended, and what it took.

    The time is that of the processor: other tests run beside this one. A run that waits for
    something instead of working is ended by the deadline.
    """

    exit_code: int
    stdout: str
    stderr: str
    cpu_seconds: float
    rss_mb: int

    def envelope(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.stdout)
        return value

    def codes(self) -> set[str]:
        return {finding["code"] for finding in self.envelope()["warnings"]}


def run(
    arguments: Sequence[str | bytes], program: Sequence[str] = (str(HOLDFAST),), **options: Any
) -> Ran:
    """Run `holdfast`; a run that takes too long is ended and fails the test."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        process = subprocess.Popen(
            [*program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            preexec_fn=_bound_address_space,
            **options,
        )
        status, usage = _wait(process, started + 4 * SECONDS_MAX)
        return Ran(
            exit_code=os.waitstatus_to_exitcode(status),
            stdout=_text(out),
            stderr=_text(err),
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            rss_mb=usage.ru_maxrss // 1024,
        )


def assert_bounded(ran: Ran) -> None:
    assert "Traceback" not in ran.stdout + ran.stderr
    assert "HF009" not in ran.stderr, ran.stderr
    assert ran.exit_code >= 0, "ended from outside"
    assert ran.cpu_seconds <= SECONDS_MAX
    assert ran.rss_mb <= RSS_MAX_MB


def _bound_address_space() -> None:
    """Keep a test that goes wrong from taking the machine with it."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE_MAX, _ADDRESS_SPACE_MAX))


def _wait(
    process: "subprocess.Popen[bytes]", deadline: float
) -> tuple[int, "resource.struct_rusage"]:
    # wait4 and not wait: only it tells the memory of this one child.
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return status, usage
        if time.monotonic() > deadline:
            process.kill()
            deadline = float("inf")
        time.sleep(0.01)


def _text(file: Any) -> str:
    file.seek(0)
    data: bytes = file.read()
    return data.decode("utf-8", "surrogateescape")
