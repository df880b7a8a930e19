"""A sample of `make truth`: a real checkpoint, one change, a verdict, real starts, rows counted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.truth.changes.catalogue import CATALOGUE
from scripts.truth.judging import judgement_of
from scripts.truth.observing import Observer
from scripts.truth.page import Line
from scripts.truth.plans import Plans
from scripts.truth.spark_process import SparkProcesses, sparks
from scripts.truth.workloads import HOME, WORKLOADS

pytestmark = pytest.mark.spark

Watched = tuple[Observer, SparkProcesses, Path]
CHANGES = {change.name: change for change in CATALOGUE}
SEEN = (
    # workload, change, what Spark 4.2.0 does
    ("files-parquet", "nothing", "started-right"),
    ("files-parquet", "commit_gone", "started-right"),
    ("files-parquet", "both_cut", "lost 18"),
    ("files-parquet", "plan_empty", "refused"),
    ("files-parquet", "logs_and_sources_emptied", "lost 18"),
    ("files-parquet", "input_altered_same_time", "changed 6"),
    ("files-foreach", "nothing", "started-right"),
    ("files-foreach", "commit_gone", "duplicated 6"),
    ("files-foreach", "checkpoint_gone", "duplicated 30"),
    ("files-foreach", "plan_gone", "wrote-then-failed, lost 18, duplicated 12"),
    ("files-foreach", "code_filter", "started-right"),
)


@pytest.fixture(scope="module")
def observer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("truth")
    with sparks(folder / "logs", jars=False) as running:
        yield Observer(folder, running), running, folder


@pytest.mark.parametrize(("workload", "change", "outcome"), SEEN)
def test_what_happens_is_not_called_safe_unless_it_is(
    observer: Watched, workload: str, change: str, outcome: str
) -> None:
    watched, running, folder = observer
    found = watched.observe(WORKLOADS[workload], HOME, CHANGES[change])
    assert str(found.outcome) == outcome
    plans = Plans(folder / "plans.json")
    plans.look([found], running)
    judged = judgement_of(found, folder, plans)
    line = Line(found=found, change=CHANGES[change], judged=judged)
    assert line.standing != "FALSE SAFE"
    kept = folder / found.key
    assert (kept / "input").is_dir(), "what was judged is kept, to be judged again"
    assert (kept / "evidence.json").exists() is (kept / "checkpoint").exists()
