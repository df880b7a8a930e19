"""The demo: kill a real Spark job in the middle of a batch, then ask Holdfast what is left.

Everything happens in a folder of its own, which is kept, so that you can go on looking.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
HOLDFAST = Path(sys.executable).with_name("holdfast")
FILES = 4
READINGS = 50
DEADLINE_S = 180


def write_input(folder: Path) -> None:
    """Four files of sensor readings, oldest first."""
    folder.mkdir(parents=True)
    for number in range(FILES):
        rows = [
            json.dumps({"sensor": f"s{i % 5}", "value": number + i / 10}) for i in range(READINGS)
        ]
        path = folder / f"readings-{number}.json"
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def kill_in_the_middle(folder: Path) -> None:
    """Run the job until its third batch is running, then kill its whole process group."""
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    with (folder / "job.log").open("wb") as log:
        job = subprocess.Popen(
            [sys.executable, str(HERE / "job.py"), str(folder)],
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            start_new_session=True,
            text=True,
        )
        try:
            wait_for_third_batch(job, folder)
        finally:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()


def wait_for_third_batch(job: "subprocess.Popen[str]", folder: Path) -> None:
    """Follow the job's own words until it says that batch 2 is being written."""
    deadline = time.monotonic() + DEADLINE_S
    assert job.stdout is not None
    for line in job.stdout:
        say(f"  job: {line.rstrip()}")
        if line.startswith("batch 2:"):
            return
        if time.monotonic() > deadline:
            break
    sys.exit(f"the job did not reach its third batch; its log is {folder / 'job.log'}")


def say(text: str) -> None:
    """Talk to the person who watches."""
    print(text, flush=True)


def explain(*arguments: str) -> None:
    """Run holdfast as a person would."""
    say(f"\n$ holdfast {' '.join(arguments)}")
    subprocess.run([str(HOLDFAST), *arguments], check=True)


def main() -> None:
    """Kill, then explain."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-demo-"))
    write_input(folder / "input")
    say("1. A plain PySpark job counts sensor readings, one file a batch (Spark starts, ~10 s).")
    kill_in_the_middle(folder)
    say("   SIGKILL: the whole job is gone in the middle of batch 2.")
    say("\n2. What is left is its checkpoint. Holdfast explains it without starting Spark.")
    checkpoint = str(folder / "checkpoint")
    explain("show", checkpoint)
    explain("show", checkpoint, "--batch", "2")
    say(f"\nEverything is kept in {folder}. As a program reads it:")
    say(f"  {HOLDFAST} show {checkpoint} --output json")


if __name__ == "__main__":
    main()
