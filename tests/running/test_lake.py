"""The sensor pipeline on a real broker, Delta and PostgreSQL, killed while data comes in."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from deltalake import DeltaTable
from scripts.servers.kafka import broker
from scripts.servers.loopback import UnavailableError
from sqlalchemy import make_url

from holdfast.adapters.sinks.delta_mark import application_id, mark_of
from holdfast.adapters.sinks.sql_ledger import read_ledger
from tests.running.pipeline import (
    DEADLINE_S,
    Rows,
    batch_answer,
    finish,
    good_reading,
    made_lines,
    make_project,
    moments,
    run_and_kill_in,
)
from tests.running.spark_sessions import SETTINGS, lake_settings
from tests.sinks.servers import pg_rows, postgres_url

KILLED_IN = (
    "sensor-raw-ingest",
    "sensor-merge-gold",
    "sensor-deserialize",
    "sensor-merge-gold",
    "sensor-merge-gold",
    "sensor-serve-gold",
)
FILES, LINES = 90, 20
"""Lines are sent file by file, so that data comes in while the jobs are killed."""

pytestmark = [pytest.mark.spark, pytest.mark.server, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    try:
        with broker() as address:
            yield address
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres_url() as found:
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project with batches small enough to be many; the runner finds the jars itself."""
    lake_settings()
    folder = make_project(tmp_path / "sensors")
    declaration = yaml.safe_load((folder / "holdfast.yaml").read_text(encoding="utf-8"))
    lake = declaration["profiles"]["lake"]
    lake["spark"] = dict(SETTINGS)
    lake["sources"]["incoming"]["options"]["maxOffsetsPerTrigger"] = 200
    for name in ("raw", "readings"):
        lake["sources"][name]["options"] = {"maxFilesPerTrigger": 3}
    (folder / "holdfast.yaml").write_text(yaml.safe_dump(declaration), encoding="utf-8")
    return folder


def rows(lake: Path, table: str, *columns: str) -> Rows:
    """Rows of a table, read without Spark."""
    found = DeltaTable(str(lake / table)).to_pyarrow_table(columns=list(columns)).to_pylist()
    return Counter(tuple(row[column] for column in columns) for row in found)


def query_id(lake: Path, job: str) -> str:
    metadata = json.loads((lake / "checkpoints" / job / "metadata").read_text())
    return str(metadata["id"])


def last_commit(lake: Path, job: str) -> int:
    folder = lake / "checkpoints" / job / "commits"
    return max(int(path.name) for path in folder.iterdir() if path.name.isdigit())


def test_kills_while_data_comes_in_change_nothing(
    project: Path, servers: str, database: str, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    url = make_url(database)
    password = str(url.password)
    extra = {
        "KAFKA_SERVERS": servers,
        "LAKE": str(lake),
        "GOLD_PASSWORD": password,
        "GOLD_URL": url.set(password=None).render_as_string(),
    }
    arguments = ("--profile", "lake", "--once")
    command = [sys.executable, "make_data.py", "--kafka", servers, "--topic", "sensors"]
    amount = ["--files", str(FILES), "--lines", str(LINES), "--every", "2"]
    feeder = subprocess.Popen([*command, *amount], cwd=project, stderr=subprocess.PIPE)
    try:
        for job, moment in zip(KILLED_IN, moments(20261116, len(KILLED_IN), 0, 4), strict=True):
            checkpoint = lake / "checkpoints" / job
            assert run_and_kill_in(project, checkpoint, moment, *arguments, extra=extra), job
        _, errors = feeder.communicate(timeout=DEADLINE_S)
        assert feeder.returncode == 0, errors
    finally:
        if feeder.poll() is None:
            feeder.kill()
            feeder.communicate()
    code, answer = finish(project, *arguments, extra=extra)
    assert code == 0, answer
    compare(project, lake)
    compare_served(project, lake, database)
    assert password not in json.dumps(answer)
    ours = [path for path in (lake / "checkpoints").rglob("*") if path.is_file()]
    assert ours and not [path for path in ours if password.encode() in path.read_bytes()]


def compare_served(project: Path, lake: Path, database: str) -> None:
    """The table in PostgreSQL with the same, and its ledger with the checkpoint."""
    lines = made_lines(project, files=FILES, lines=LINES)
    assert pg_rows(database, "gold", "sensor, sequence, reading") == batch_answer(lines)
    query, job = query_id(lake, "sensor-serve-gold"), "sensor-serve-gold"
    marks = [mark for mark in read_ledger(database, "gold") if mark.query_id == query]
    assert [mark.batch_id for mark in marks] == list(range(last_commit(lake, job) + 1))
    assert marks[-1].epoch > KILLED_IN.count(job), "each start has an epoch of its own"


def compare(project: Path, lake: Path) -> None:
    """All tables with what one look at the generator's lines says."""
    lines = made_lines(project, files=FILES, lines=LINES)
    assert rows(lake, "raw", "value") == Counter((line,) for line in lines)
    origins = rows(lake, "raw", "origin")
    assert len(origins) == len(lines), "a record is there once, and says which it is"
    judged = rows(lake, "readings", "value", "quarantined")
    assert judged == Counter((line, good_reading(line) is None) for line in lines)
    counted = rows(lake, "readings", "quarantined")
    assert counted[(False,)] + counted[(True,)] == len(lines)
    assert counted[(True,)] > 0
    assert rows(lake, "gold", "sensor", "sequence", "reading") == batch_answer(lines)
    query = query_id(lake, "sensor-merge-gold")
    version = DeltaTable(str(lake / "gold")).transaction_version(application_id(query, "gold"))
    assert version is not None
    mark = mark_of(version)
    assert mark.last_batch == last_commit(lake, "sensor-merge-gold")
    assert mark.epoch > KILLED_IN.count("sensor-merge-gold"), "each start has an epoch of its own"
