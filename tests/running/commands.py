"""`holdfast` as people call it, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HOLDFAST = Path(sys.executable).with_name("holdfast")
DEADLINE_S = 480


def environment(**more: str) -> dict[str, str]:
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "HOLDFAST_CODE_REVISION": "tested",
        **more,
    }


def begin(
    folder: Path, *arguments: str, variables: dict[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Start a command in a process group of its own, so that it can be killed whole."""
    return subprocess.Popen(
        [str(HOLDFAST), *arguments],
        cwd=folder,
        env=environment(**(variables or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(process: "subprocess.Popen[str]", deadline_s: float = DEADLINE_S) -> tuple[int, Any, str]:
    """Wait for it: exit code, decoded answer, talk. Nobody ever sees a traceback."""
    output, talk = process.communicate(timeout=deadline_s)
    assert "Traceback" not in talk and "Traceback" not in output, talk
    assert output, talk
    return process.returncode, json.loads(output), talk


def answer(
    folder: Path, *arguments: str, variables: dict[str, str] | None = None
) -> tuple[int, Any, str]:
    """Run a command to its end with --output json."""
    return end(begin(folder, *arguments, "--output", "json", variables=variables))


def jobs_of(value: Any) -> dict[str, Any]:
    return {job["job"]: job for job in value["result"]["jobs"]}
