"""Nothing in the runner assumes one machine: a master and a worker in processes of their own."""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyspark
import pytest
from scripts.jars.fetch import cache
from scripts.servers.loopback import answers, free_ports, running

import holdfast.__main__
from tests.running.commands import DEADLINE_S, answer, environment, jobs_of

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]

TRANSFORM = """
from pyspark.sql import functions as F
from sidekick import twice

def doubled(rows):
    return rows.select(F.udf(twice, "long")("value").alias("value"))
"""
DECLARATION = """
checkpoints: file://{folder}/checkpoints
spark:
  spark.ui.enabled: false
  spark.sql.shuffle.partitions: 2
  spark.executor.memory: 512m
  spark.driver.memory: 512m
jobs:
  doubled:
    source: {{format: json, path: ./in, schema: value long}}
    transform: moves:doubled
    sink: {{kind: file, format: json, path: ./out}}
"""


DOUBLED = Counter(f'{{"value":{2 * n}}}' for n in range(50))


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """spark://… of a cluster with one worker."""
    program = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port, web, worker_web = free_ports(3)
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    words = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web)]
    before = dict(os.environ)
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    os.environ["SPARK_WORKER_DIR"] = str(tmp_path_factory.mktemp("worker"))
    try:
        with ExitStack() as stack:
            command = [program, f"{deploy}.master.Master", *words]
            stack.enter_context(running("the master", command, lambda: answers(port)))
            words = ["-h", "127.0.0.1", "-c", "1", "-m", "1g", "--webui-port", str(worker_web)]
            command = [program, f"{deploy}.worker.Worker", *words, address]
            stack.enter_context(running("the worker", command, lambda: answers(worker_web)))
            yield address
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture
def project() -> Iterator[Path]:
    """Not below the folder for temporary files, which a guard refuses on a cluster."""
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cluster-", dir=cache()) as scratch:
        folder = Path(scratch)
        (folder / "in").mkdir()
        (folder / "in" / "a.json").write_text("".join(f'{{"value": {n}}}\n' for n in range(50)))
        (folder / "moves.py").write_text(TRANSFORM)
        (folder / "sidekick.py").write_text("def twice(n):\n    return 2 * n\n")
        yield folder


def written(project: Path) -> Counter[str]:
    files = (project / "out").glob("*.json")
    return Counter(line for path in files for line in path.read_text().splitlines())


def on(master: str, text: str) -> str:
    return text.replace("spark:\n", f"spark:\n  spark.master: {master}\n", 1)


def test_jobs_run_on_a_cluster_with_modules_beside_the_declaration(
    project: Path, master: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = DECLARATION.format(folder=project)
    (project / "holdfast.yaml").write_text(
        text.replace("spark:\n", f"spark:\n  spark.master: {master}\n", 1)
    )
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    code, said, talk = answer(elsewhere, "run", "--once", "--file", str(project / "holdfast.yaml"))
    assert code == 0, (said, talk)
    assert "HF203" in talk  # a path that every machine must mount
    assert written(project) == DOUBLED


def test_a_path_of_one_machine_is_refused_before_spark_starts(project: Path, master: str) -> None:
    text = DECLARATION.format(folder=project).replace("file://", "")
    (project / "holdfast.yaml").write_text(
        text.replace("spark:\n", f"spark:\n  spark.master: {master}\n", 1)
    )
    code, said, _ = answer(project, "run", "--once")
    job = jobs_of(said)["doubled"]
    assert (code, job["end"]) == (1, "refused") and job["code"] == "HF203"


def test_workers_here_find_the_modules_from_any_folder(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (project / "holdfast.yaml").write_text(DECLARATION.format(folder=project))
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    code, said, talk = answer(elsewhere, "run", "--once", "--file", str(project / "holdfast.yaml"))
    assert code == 0, (said, talk)
    assert written(project) == DOUBLED


def test_under_spark_submit_its_master_counts(project: Path, master: str) -> None:
    (project / "holdfast.yaml").write_text(DECLARATION.format(folder=project))
    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    settings = ["--conf", "spark.executor.memory=512m", "--driver-memory", "512m"]
    words = ["run", "--once", "--output", "json"]
    done = subprocess.run(
        [str(program), "--master", master, *settings, holdfast.__main__.__file__, *words],
        cwd=project,
        env={**environment(), "PYSPARK_DRIVER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr
    start = next((project / "checkpoints" / "_holdfast").glob("doubled/runs/*.start"))
    assert json.loads(start.read_text())["master"] == master
    assert written(project) == DOUBLED
