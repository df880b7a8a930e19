"""The embedded pipeline on the PySpark of this interpreter: run, killed in a batch, run again.

python -m scripts.matrix.pipeline_session FOLDER writes FOLDER/observed.json. Run by pipeline.py.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pyspark
from scripts.soak.campaign import batch_in_flight, last_in_ledger
from tests.running.killing import JOBS, busy_project, differences, feed, lines_in, running

ATTEMPTS = 5
FILES, LINES = 8, 50


def drained(project: Path) -> list[dict[str, Any]]:
    with running(project, "--once") as run:
        code = run.end()
        answer = json.loads(run.output)
    if code != 0:
        raise AssertionError(f"exit code {code}: {answer}")
    jobs: list[dict[str, Any]] = answer["result"]["jobs"]
    return jobs


def killed_in_a_batch(project: Path) -> int:
    """Kill it while gold has a batch in flight; which one."""
    gold = project / "checkpoints" / JOBS[2]
    for attempt in range(ATTEMPTS):
        feed(project, FILES * (attempt + 2), LINES)
        with running(project) as run:
            run.until(lambda: batch_in_flight(gold) is not None, "a batch of gold")
            run.kill()
        batch = batch_in_flight(gold)
        if batch is not None:
            return batch
    raise AssertionError(f"{ATTEMPTS} kills, and none hit a batch of gold")


def observe(folder: Path) -> dict[str, Any]:
    project = busy_project(folder / "sensors")
    feed(project, FILES, LINES)
    first = drained(project)
    compared = [differences(project)]
    batch = killed_in_a_batch(project)
    ledger = last_in_ledger(project)
    last = drained(project)
    compared.append(differences(project))
    record = json.loads(
        (project / "checkpoints/_holdfast" / JOBS[2] / "runs" / f"{1:020d}.fingerprint").read_text()
    )
    return {
        "pyspark": pyspark.__version__,
        "batches": {job["job"]: job["batches"] for job in first},
        "killed_in_batch": batch,
        "ledger_at_kill": ledger,
        "after": {job["job"]: (job["end"], job["last_batch"]) for job in last},
        "lines": len(lines_in(project)),
        "lost": sum(lost for one in compared for lost, _ in one.values()),
        "duplicated": sum(extra for one in compared for _, extra in one.values()),
        "fingerprint": record,
    }


if __name__ == "__main__":
    place = Path(sys.argv[1])
    (place / "observed.json").write_text(json.dumps(observe(place), indent=1), encoding="utf-8")
