"""The sensor pipeline on real Spark, killed for real: gold equals the batch answer, row by row."""

from pathlib import Path

import pytest
from scripts.soak.campaign import campaign

from tests.running.killing import JOBS
from tests.running.pipeline import finish, gold, make_data, make_project

KILLS = 25
CHECK_EVERY = 9
SEED = 6


@pytest.mark.spark
@pytest.mark.timeout(2400)
def test_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    """Whenever it is drained: every line once in raw, once in readings, and gold as it must be."""
    tally = campaign(tmp_path, KILLS, SEED, CHECK_EVERY, print)
    print(tally)
    assert (tally.lost, tally.duplicated) == (0, 0)
    assert (tally.kills, tally.checks) == (KILLS, 3)
    assert tally.rows > 0
    # Kills that hit nothing prove nothing.
    assert tally.hits >= KILLS // 2
    assert all(tally.in_flight[job] > 0 for job in JOBS)


@pytest.mark.spark
@pytest.mark.timeout(1200)
def test_a_deleted_checkpoint_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    project = make_project(tmp_path / "sensors")
    make_data(project)
    assert finish(project, "--once")[0] == 0
    before = gold(project)
    (project / "checkpoints" / "sensor-merge-gold").rename(project / "aside")
    code, answer = finish(project, "sensor-merge-gold", "--once")
    assert code == 1
    job = answer["result"]["jobs"][0]
    assert job["end"] == "refused" and "the checkpoint is gone" in job["cause"]
    assert gold(project) == before
