"""A kill and the start after it, in an audit, against a cold start of the same job without one."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from measure import Row
from tests.audit.declared_project import JOB, write_project

from holdfast.audit.audit import Wishes, audit
from holdfast.audit.declared import declared_workload
from holdfast.audit.life import live
from holdfast.core.crash.event import tell_nobody
from holdfast.flows.declaration import load

KILLED_AT = ("K7", "K10")


def rows(repeat: int) -> Iterator[Row]:
    """What the gate costs a life, and what a kill costs in a whole audit."""
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=Path.home()) as folder:
        place = Path(folder)
        file = write_project(place / "project", "sqlite-upsert")
        declaration = load(str(file), None)
        workload = declared_workload(
            declaration, JOB, text=file.read_text(), folder=place, environ=environ, read=None
        )
        plain, gated = [], []
        for number in range(max(3, repeat // 2)):
            for way in (plain, gated):
                room_folder = place / f"{'plain' if way is plain else 'gated'}-{number}"
                room_folder.mkdir()
                room = workload.furnish(room_folder)
                began = time.perf_counter()
                if way is plain:
                    subprocess.run(
                        room.arguments, env=dict(room.environ), check=True, capture_output=True
                    )
                else:
                    assert live(room, 1, within_s=300).is_done
                way.append(time.perf_counter() - began)
                assert len(room.output.read().rows) == 40
        cold = statistics.median(plain)
        yield Row(
            what="a whole run held at each operation, against one that is not",
            measured=round(statistics.median(gated) / cold, 2),
            bound=1.05,
            unit="times",
            note=f"{statistics.median(gated):.1f} s against {cold:.1f} s",
        )
        wishes = Wishes(points=KILLED_AT, parallel=1, run_twice=False)
        began = time.perf_counter()
        done = audit(workload, place / "audit", wishes, tell_nobody)
        spent = time.perf_counter() - began
        assert {outcome.kind for outcome in done.outcomes} == {"exact"}
        yield Row(
            what="one start of an audit, killed or not, against a cold run of the job",
            measured=round(spent / done.starts / cold, 2),
            bound=1.05,
            unit="times",
            note=f"{done.kills} kills and {done.starts} starts in {spent:.0f} s, one at a time",
        )
