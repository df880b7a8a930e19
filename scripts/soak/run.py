"""Kill the sensor pipeline 200 times at random moments, and write what came of it to docs/soak.md.

python -m scripts.soak.run [--kills N] [--seed S] [--folder F] [--again]

Takes an hour or more. Broken off, it goes on where it was; --again begins anew. A row lost or
duplicated is a defect: exit 1.
"""

import argparse
import os
import platform
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyspark
from scripts.soak.campaign import Tally, campaign

import holdfast

ROOT = Path(__file__).parent.parent.parent
CACHE = Path(os.environ.get("HOLDFAST_CACHE", Path.home() / ".cache" / "holdfast"))
KILLS = 200
SEED = 2026
CHECK_EVERY = 10


def machine() -> str:
    """Cores, memory and processor."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{os.cpu_count()} cores, {pages / 2**30:.0f} GiB, {platform.system()}, {processor()}"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def java() -> str:
    said = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    return said.partition('"')[2].partition('"')[0] or "unknown"


def page(tally: Tally) -> str:
    minutes, seconds = divmod(round(tally.seconds), 60)
    hits = [f"{job} {count}" for job, count in tally.in_flight.items()]
    rows = {
        "kills (SIGKILL to the whole process group)": tally.kills,
        "of these with a batch in flight in one job or more": tally.hits,
        "of these, in flight by job": ", ".join(hits),
        "of these with gold's batch in its sink and not yet in its checkpoint": tally.sink_ahead,
        "of these while Spark was starting": tally.starting,
        "starts": tally.restarts,
        "times drained and compared": tally.checks,
        "lines of input": f"{tally.rows:,}",
        "rows lost, in all tables and comparisons": tally.lost,
        "rows duplicated or wrong": tally.duplicated,
        "times the campaign itself was begun": tally.sittings,
        "time": f"{minutes} min {seconds} s",
        "machine": machine(),
        "versions": f"Holdfast {holdfast.__version__}, PySpark {pyspark.__version__}, "
        f"Python {platform.python_version()}, Java {java()}",
        "seed": tally.seed,
    }
    lines = [
        "# Kills at random moments",
        "",
        "`make soak` runs the three jobs of the sensor pipeline (files, Parquet, Parquet, SQLite)",
        "and kills the whole process group at random moments, with new input before each kill. The",
        "next start is the same command again. Every few kills it drains the pipeline and compares",
        "raw, readings and gold with the input, as multisets: every line once in raw, every line",
        "once in readings as good or quarantined, gold equal to a batch answer over all lines.",
        "`make test` does the same with fewer kills. What follows is written by the program.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows.items()),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--again", action="store_true", help="forget what was done before")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "soak.md")
    given = parser.parse_args()
    # Ended from outside, it takes the run along that it has started.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    folder = given.folder or CACHE / "soak" / f"{given.seed}-{given.kills}"
    if given.again or not (folder / "tally.json").exists():
        shutil.rmtree(folder / "sensors", ignore_errors=True)
        (folder / "tally.json").unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"in {folder}; broken off, the same command goes on", flush=True)
    tally = campaign(
        folder, given.kills, given.seed, CHECK_EVERY, lambda line: print(line, flush=True)
    )
    given.page.write_text(page(tally), encoding="utf-8")
    print(page(tally))
    sys.exit(1 if tally.lost or tally.duplicated else 0)


if __name__ == "__main__":
    main()
