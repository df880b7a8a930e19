"""Answers of the real commands, about copies of golden checkpoints, at a fixed moment.

A copy, because its files get a fixed time of last change; a fixed moment, because the screens say
how long ago something was. Nothing else about an answer is touched but the path of the copy.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from quotes import GOLDEN
from recorded import MachineOfTheScreens, make_project, write_records

from holdfast.flows import evidence
from holdfast.flows.sources import lag
from holdfast.surfaces.cli import fleet, history, main, show, status

HOUR_MS = 3_600_000
AGE_MS = 26 * HOUR_MS
CONF_SHOWN = 2
TIMESTAMP = re.compile(r'"batchTimestampMs":(\d+)')
FLEET = {
    "eu/prod/orders/checkpoints/raw-ingest": "4.2.0/file_compacted",
    "eu/prod/orders/checkpoints/merge-gold": "4.2.0/killed_stateful",
    "eu/prod/orders/checkpoints/merge-gold-copy": "4.2.0/killed_stateful",
}
"""Where `fleet` is shown: three checkpoints, one of them copied by hand."""

OF_JOBS = ("status", "history")
"""Commands that are shown with a project whose jobs have run."""

LIVE = "4.2.0/kafka"
NEWER_THAN_BACKUP = ("offsets/1", "offsets/.1.crc", "commits/1", "commits/.1.crc")
"""Where `diff` is shown: a checkpoint, and what it was before its last batch."""


def help_text(command: str) -> str:
    """What `--help` prints; `holdfast` stands for the whole program."""
    arguments = [] if command == "holdfast" else [command]
    program = Path(sys.executable).with_name("holdfast")
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    answer = subprocess.run(
        [str(program), *arguments, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return f"```text\n{answer.stdout.rstrip()}\n```"


def screen(*arguments: str) -> str:
    """The command line, what it prints, and its exit code."""
    code, out, talk = answer(list(arguments))
    lines = "\n".join(line.rstrip() for line in f"{out}{talk}".splitlines()).strip("\n")
    return f"```console\n$ holdfast {' '.join(arguments)}\n\n{lines}\nexit {code}\n```"


def json_answer(*arguments: str) -> str:
    """The same as JSON; of the pinned settings only the first two."""
    code, out, _ = answer([*arguments, "--output", "json"])
    value = json.loads(out)
    latest = value.get("result", {}).get("latest")
    if latest:
        latest["conf"] = dict(list(latest["conf"].items())[:CONF_SHOWN])
    text = json.dumps(value, indent=2)
    command = f"holdfast {' '.join(arguments)} --output json"
    return f"`{command}` (exit code {code})\n```json\n{text}\n```"


def answer(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one command."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        root = Path(folder).resolve()
        now_ms = set_up(root, arguments)
        out, talk = io.StringIO(), io.StringIO()
        code = 0
        with (
            patch.object(show, "now_ms", lambda: now_ms),
            patch.object(evidence, "now_ms", lambda: now_ms),
            patch.object(fleet, "now_ms", lambda: now_ms),
            patch.object(status, "now_ms", lambda: now_ms),
            patch.object(history, "now_ms", lambda: now_ms),
            patch.object(lag, "now_ms", lambda: now_ms),
            patch.object(status, "ThisMachine", MachineOfTheScreens),
            patch.object(history, "ThisMachine", MachineOfTheScreens),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(talk),
        ):
            try:
                run(arguments)
            except SystemExit as stop:
                code = int(stop.code or 0)
        return code, cleaned(out.getvalue(), root), cleaned(talk.getvalue(), root)


def run(arguments: list[str]) -> Any:
    return main.app(args=arguments, standalone_mode=False)


def cleaned(text: str, root: Path) -> str:
    return text.replace(str(root), "/…")


def set_up(root: Path, arguments: list[str]) -> int:
    """Copy what the arguments name; give the moment at which it is looked at."""
    for source, target in wanted(root, arguments):
        shutil.copytree(source, target, dirs_exist_ok=True)
    if arguments[0] in OF_JOBS:
        make_project(root)
    if "backup" in arguments:
        for name in NEWER_THAN_BACKUP:
            (root / "backup" / name).unlink()
    planned_ms = newest_plan_ms(root)
    if arguments[0] in OF_JOBS:
        write_records(root, planned_ms)
    for path in root.rglob("*"):
        os.utime(path, (planned_ms / 1000 + 1, planned_ms / 1000 + 1))
    return planned_ms + AGE_MS


def wanted(root: Path, arguments: list[str]) -> Iterator[tuple[Path, Path]]:
    if arguments[0] == "fleet":
        for name, case in FLEET.items():
            yield GOLDEN / case / "checkpoint", root / arguments[1] / name
    for argument in arguments[1:]:
        if argument in ("backup", "live"):
            yield GOLDEN / LIVE / "checkpoint", root / argument
        if argument.startswith("tests/golden/"):
            version, case = Path(argument).parts[2:4]
            folder = Path("tests", "golden", version, case)
            yield GOLDEN / version / case, root / folder


def newest_plan_ms(root: Path) -> int:
    """When the newest plan among the copies was written, as it says itself."""
    times = [
        int(found[1])
        for path in root.rglob("offsets/[0-9]*")
        if (found := TIMESTAMP.search(path.read_text(encoding="utf-8")))
    ]
    return max(times, default=AGE_MS)
