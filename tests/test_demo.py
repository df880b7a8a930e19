"""The demo is run as a newcomer runs it: a real Spark job, really killed."""

import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "examples" / "killed_job" / "demo.py"


@pytest.mark.spark
def test_demo_kills_a_job_and_explains_what_is_left(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(DEMO)],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "job: batch 2: 5 sensors counted" in done.stdout
    assert "all state was written" in done.stdout
    assert "A restart runs batch 2 again over exactly the same input" in done.stdout
