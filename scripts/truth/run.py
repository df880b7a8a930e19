"""The truth: change one thing, ask `judge`, start real Spark, compare; docs/truth.md is the table.

python -m scripts.truth.run [--version V] [--workload W] [--change C] [--again] [--judge]

Observes what is not yet observed, judges everything, writes the page. Broken off, it goes on where
it was. `--judge` starts no Spark. A verdict `safe` on a start that was not right is a defect:
exit 1.
"""

import argparse
import contextlib
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from scripts.servers.kafka import broker
from scripts.truth.changes.catalogue import CATALOGUE
from scripts.truth.changes.change import Change
from scripts.truth.judging import judgement_of
from scripts.truth.kafka_topic import Topic
from scripts.truth.observation import Observations
from scripts.truth.observing import Observer, Topics
from scripts.truth.page import Line, page
from scripts.truth.plans import Plans
from scripts.truth.spark_process import CACHE, sparks
from scripts.truth.workloads import HOME, VERSIONS, WORKLOADS, Workload

ROOT = Path(__file__).resolve().parents[2]
FOLDER = CACHE / "truth"
PAGE = ROOT / "docs" / "truth.md"


def cases(given: argparse.Namespace) -> Iterator[tuple[str, Workload, Change]]:
    """What is asked for: the home version first, then the others."""
    order = [HOME, *(each for each in VERSIONS if each != HOME)]
    for version in order:
        for workload in WORKLOADS.values():
            for change in CATALOGUE:
                if (
                    version in (given.version or VERSIONS)
                    and workload.name in (given.workload or WORKLOADS)
                    and (not given.change or change.name in given.change)
                    and change.applies_to(workload, version)
                ):
                    yield version, workload, change


def observe(given: argparse.Namespace, seen: Observations) -> None:
    """Everything that is asked for and not there yet."""
    wanted = [
        (version, workload, change)
        for version, workload, change in cases(given)
        if given.again or f"{version}/{workload.name}/{change.name}" not in seen
    ]
    with contextlib.ExitStack() as stack:
        topics = None
        if any(workload.source == "kafka" for _, workload, _ in wanted):
            topics = topics_of(stack.enter_context(broker()))
        running = stack.enter_context(sparks(FOLDER / "logs"))
        observer = Observer(FOLDER, running, topics)
        for number, (version, workload, change) in enumerate(wanted, 1):
            began = time.monotonic()
            label = f"{number}/{len(wanted)} {version} {workload.name} {change.name}"
            try:
                found = observer.observe(workload, version, change)
            except Exception:
                print(f"{label}: NOT OBSERVED\n{traceback.format_exc()}", flush=True)
                continue
            seen.add(found)
            print(f"{label}: {found.outcome} ({time.monotonic() - began:.1f} s)", flush=True)


def topics_of(address: str) -> Topics:
    return lambda name: Topic(address, name)


def lines(seen: Observations, plans: Plans) -> list[Line]:
    """Every observation with its verdict, in the order of the catalogue."""
    order = {change.name: number for number, change in enumerate(CATALOGUE)}
    texts = {change.name: change for change in CATALOGUE}
    known = [each for each in seen if each.change in texts and each.workload in WORKLOADS]
    known.sort(
        key=lambda each: (
            order[each.change],
            list(WORKLOADS).index(each.workload),
            VERSIONS.index(each.version),
        )
    )
    return [
        Line(found=each, change=texts[each.change], judged=judgement_of(each, FOLDER, plans))
        for each in known
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", action="append", choices=VERSIONS)
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS))
    parser.add_argument("--change", action="append")
    parser.add_argument("--again", action="store_true", help="observe again what was observed")
    parser.add_argument("--judge", action="store_true", help="start no Spark")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    seen = Observations(FOLDER / "observed.jsonl")
    if not given.judge:
        observe(given, seen)
    plans = Plans(FOLDER / "plans.json")
    if not given.judge:
        with sparks(FOLDER / "logs") as running:
            plans.look(seen, running)
    made = lines(seen, plans)
    given.page.write_text(page(made), encoding="utf-8")
    wrong = [line for line in made if line.standing == "FALSE SAFE"]
    for line in wrong:
        print(f"FALSE SAFE {line.found.key}: {line.found.outcome}", flush=True)
    print(f"{len(made)} cases, {len(wrong)} false safe; {given.page}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
