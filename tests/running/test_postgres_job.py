"""A stateful query into PostgreSQL, killed after COMMIT and before Spark's own commit."""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from holdfast.adapters.sinks.sql_ledger import read_ledger
from tests.running.killing import DEADLINE_S, QUICK_SPARK, Running
from tests.sinks.servers import POSTGRES, pg, pg_rows, postgres_url

pytestmark = [pytest.mark.spark, pytest.mark.server]
STORE = "spark.sql.streaming.stateStore."
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
FORMATS = {
    "1": {},
    "2": {
        STORE + "providerClass": ROCKSDB,
        STORE + "rocksdb.changelogCheckpointing.enabled": "true",
        STORE + "checkpointFormatVersion": "2",
    },
}
WORDS = ("a", "b", "a b", "é😀", "")
FILES = 4


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as found:
        yield found


def make_project(folder: Path, table: str, settings: dict[str, str]) -> Path:
    (folder / "in").mkdir(parents=True)
    for number in range(FILES):
        lines = [f'{{"word": "{word}"}}\n' for word in WORDS for _ in range(number + 1)]
        (folder / "in" / f"{number}.json").write_text("".join(lines), encoding="utf-8")
    (folder / "words.py").write_text(
        "def counted(frame):\n    return frame.groupBy('word').count()\n", encoding="utf-8"
    )
    sink = {"kind": "sql", "url": f"${{env:{POSTGRES}}}", "table": table, "create": True}
    options = {"maxFilesPerTrigger": 1}
    job = {
        "source": {"format": "json", "path": "./in", "schema": "word string", "options": options},
        "transform": "words:counted",
        "sink": {**sink, "mode": "upsert", "key": ["word"], "version": "count"},
        "output_mode": "update",
    }
    spark = {**QUICK_SPARK, "spark.sql.shuffle.partitions": "2", **settings}
    declaration = {"checkpoints": "./checkpoints", "spark": spark, "jobs": {"words": job}}
    (folder / "holdfast.yaml").write_text(yaml.safe_dump(declaration), encoding="utf-8")
    return folder


def run_until_committed(project: Path, batch: int) -> Running:
    """Let the job go on from step to step until the sink has committed a batch, and hold it."""
    steps = project / f"steps-{batch}"
    steps.mkdir()
    extra = {"HOLDFAST_STEPS": str(steps), "HOLDFAST_STEPS_WAIT": "1"}
    run = Running(project, "--once", extra=extra)
    left, limit = batch, time.monotonic() + DEADLINE_S
    while True:
        assert run.process.poll() is None and time.monotonic() < limit, run.talk
        for file in sorted(steps.iterdir(), key=lambda path: int(path.name.split("-")[1])):
            if file.name.endswith("-committed"):
                if left == 0:
                    return run
                left -= 1
            file.unlink()
        time.sleep(0.01)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", FORMATS)
def test_a_stateful_query_killed_after_commit_goes_on(
    url: str, tmp_path: Path, version: str
) -> None:
    table = f"words_{version}"
    project = make_project(tmp_path / "project", table, FORMATS[version])
    run = run_until_committed(project, 1)
    run.kill()
    assert [mark.batch_id for mark in read_ledger(url, table)] == [0, 1]
    assert not (project / "checkpoints" / "words" / "commits" / "1").exists()
    again = Running(project, "--once")
    assert again.end() == 0, again.talk + again.output
    total = sum(range(1, FILES + 1))
    assert pg_rows(url, table) == Counter((word, total) for word in WORDS)
    assert [mark.batch_id for mark in read_ledger(url, table)] == list(range(FILES))
    types = dict(
        pg(
            url,
            "SELECT column_name, data_type FROM information_schema.columns"
            f" WHERE table_name = '{table}'",
        )
    )
    assert types == {"word": "text", "count": "bigint"}
    password = url.split(":")[2].partition("@")[0]
    assert password not in again.talk + again.output
