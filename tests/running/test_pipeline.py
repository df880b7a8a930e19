"""The sensor pipeline on real Spark, killed for real: gold equals the batch answer, row by row."""

from pathlib import Path

import pytest

from tests.running.pipeline import (
    batch_answer,
    finish,
    gold,
    made_lines,
    make_data,
    make_project,
    moments,
    run_and_kill,
)

KILLS = 3


@pytest.fixture
def project(tmp_path: Path) -> Path:
    # Not below the system's temporary folder as far as the guards can see.
    folder = make_project(tmp_path / "sensors")
    make_data(folder)
    return folder


@pytest.mark.spark
@pytest.mark.timeout(900)
def test_kills_at_random_moments_change_nothing(project: Path) -> None:
    for moment in moments(20261115, KILLS, 8, 25):
        run_and_kill(project, moment, "--once")
    code, answer = finish(project, "--once")
    assert code == 0, answer
    assert gold(project) == batch_answer(made_lines(project))
    assert sum(gold(project).values()) > 0


@pytest.mark.spark
@pytest.mark.timeout(600)
def test_a_deleted_checkpoint_is_refused_and_nothing_is_written(project: Path) -> None:
    assert finish(project, "--once")[0] == 0
    before = gold(project)
    (project / "checkpoints" / "sensor-merge-gold").rename(project / "aside")
    code, answer = finish(project, "sensor-merge-gold", "--once")
    assert code == 1
    job = answer["result"]["jobs"][0]
    assert job["end"] == "refused" and "the checkpoint is gone" in job["cause"]
    assert gold(project) == before
