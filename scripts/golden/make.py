"""Make the golden checkpoints with real Spark: `python scripts/golden/make.py [--version V]`.

For each version: run the cases (a shared session, then processes that need jars, a broker, or a
violent end), copy what Spark left to tests/golden, let Spark's state readers say what they see,
and write expected.json from what Spark said.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import expectation
import gate
from environments import VERSIONS, MissingToolError, interpreter, variables
from places import GOLDEN, WORK, Place

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from scripts.jars import fetch  # noqa: E402
from scripts.servers import kafka, loopback  # noqa: E402

OLDEST = VERSIONS[0]
KILL_LIMIT_SECONDS = 180
STATE_READER_SINCE = "4.0"
Outcomes = dict[str, str]
Listed = dict[str, dict[str, Any]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--version", action="append", choices=VERSIONS)
    parser.add_argument("--case", action="append")
    arguments = parser.parse_args()
    for version in arguments.version or VERSIONS:
        try:
            outcomes = make_version(version, arguments.case or [])
        except MissingToolError as error:
            print(error, file=sys.stderr)
            return 2
        report(version, outcomes)
    return 0


def make_version(version: str, wanted: list[str]) -> Outcomes:
    """All wanted cases of one Spark version; the reason beside each that cannot be made."""
    python = interpreter(version)
    (WORK / version).mkdir(parents=True, exist_ok=True)
    listed = json.loads(run(python, "list_cases.py", version, capture=True))
    outcomes: Outcomes = {}
    groups: dict[str, list[str]] = {}
    for name, entry in listed.items():
        if wanted and name not in wanted:
            continue
        if entry["refusal"]:
            outcomes[name] = entry["refusal"]
            shutil.rmtree(Place(version=version, case=name).golden, ignore_errors=True)
        else:
            groups.setdefault(entry["process"], []).append(name)
    for kind, names in groups.items():
        outcomes.update(make_group(version, kind, listed, names))
    keep(python, version, [name for name, outcome in outcomes.items() if outcome == "ok"])
    return outcomes


def make_group(version: str, kind: str, listed: Listed, names: list[str]) -> Outcomes:
    """Run the cases of one kind of process."""
    python = interpreter(version)
    if kind in ("shared", "realtime"):
        run(python, "run_session.py", version, kind, *names)
        return outcomes_of(version, kind)
    if kind in ("lake", "kafka"):
        return with_jars(version, kind, names)
    if kind == "continued":
        for name in names:
            shutil.rmtree(Place(version=version, case=name).root, ignore_errors=True)
        run(interpreter(OLDEST), "run_session.py", version, kind, *names)
        run(python, "run_session.py", version, kind, *names)
        return outcomes_of(version, kind)
    return {name: kill(version, name, listed[name]["kill_before"]) for name in names}


def with_jars(version: str, kind: str, names: list[str]) -> Outcomes:
    """Run cases that need jars, and a broker where they say Kafka."""
    try:
        extra = {"HOLDFAST_GOLDEN_JARS": fetch.jars("lake")}
        with ExitStack() as stack:
            if kind == "kafka":
                extra["HOLDFAST_GOLDEN_KAFKA"] = stack.enter_context(kafka.broker())
            run(interpreter(version), "run_session.py", version, kind, *names, **extra)
    except (fetch.FetchError, loopback.UnavailableError) as error:
        # No fact about Spark: what was made before stays, and cases.json says nothing new.
        print(f"left as they are: {', '.join(names)}: {error}", file=sys.stderr)
        return {}
    return outcomes_of(version, kind)


def kill(version: str, name: str, moment: str) -> str:
    """Run one case in a process group of its own, which dies by SIGKILL: its own, or the gate's."""
    python = interpreter(version)
    command = [str(python), str(HERE / "run_session.py"), version, "kill", name]
    if moment:
        try:
            gate.run_until(command, variables(python), f"/{version}/{name}/{moment}")
        except (gate.GateError, OSError) as error:
            return str(error)
        print(f"{version} {name}: killed before {moment}", flush=True)
        return "ok"
    process = subprocess.Popen(command, env=variables(python), start_new_session=True)
    status = process.wait(KILL_LIMIT_SECONDS)
    print(f"{version} {name}: ended with {status}", flush=True)
    if status != -signal.SIGKILL:
        return outcomes_of(version, "kill").get(name, f"ended with {status}, not by SIGKILL")
    return "ok"


def outcomes_of(version: str, kind: str) -> Outcomes:
    """What run_session.py wrote down, case by case."""
    loaded: Outcomes = json.loads((WORK / version / f"outcomes-{kind}.json").read_text())
    return loaded


def keep(python: Path, version: str, names: list[str]) -> None:
    """Copy first, then let the state readers loose on the originals, then write expectations."""
    places = [Place(version=version, case=name) for name in names]
    for place in places:
        place.keep()
    if version >= STATE_READER_SINCE and names:
        stateful = [place.case for place in places if (place.checkpoint / "state").is_dir()]
        if stateful:
            run(python, "read_state.py", version, *stateful)
    for place in places:
        expectation.write(place)


def run(python: Path, script: str, *words: str, capture: bool = False, **extra: str) -> str:
    """Run one of our scripts under that interpreter and wait for it."""
    done = subprocess.run(
        [str(python), str(HERE / script), *words],
        env={**variables(python), **extra},
        stdout=subprocess.PIPE if capture else None,
        text=True,
        check=True,
    )
    return done.stdout or ""


def report(version: str, outcomes: Outcomes) -> None:
    """Merge what was made, and why the rest was not, into cases.json."""
    path = GOLDEN / "cases.json"
    GOLDEN.mkdir(parents=True, exist_ok=True)
    table = json.loads(path.read_text()) if path.exists() else {}
    for name, outcome in outcomes.items():
        table.setdefault(name, {})[version] = outcome
    ordered = {name: dict(sorted(table[name].items())) for name in sorted(table)}
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps(ordered, indent=1) + "\n")
    os.replace(scratch, path)
    made = sum(outcome == "ok" for outcome in outcomes.values())
    print(f"{version}: {made} of {len(outcomes)} cases made")


if __name__ == "__main__":
    sys.exit(main())
