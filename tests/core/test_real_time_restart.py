"""What `show` says of checkpoints that a query in real-time mode leaves when it is killed."""

import shutil
from pathlib import Path

import pytest

from holdfast.core.microbatch import Restart
from holdfast.flows.show import show

GOLDEN = Path(__file__).parents[1] / "golden" / "4.2.0"


def restart(case: str, place: Path, *gone: str) -> Restart:
    """Of a golden checkpoint without some of its files."""
    shutil.copytree(GOLDEN / case / "checkpoint", place)
    for name in gone:
        file = place / name
        file.unlink()
        file.with_name(f".{file.name}.crc").unlink()
    return show(str(place)).checkpoint.restart


def test_rows_of_a_batch_without_a_plan_leave_once_more(tmp_path: Path) -> None:
    told = restart("real_time", tmp_path / "k16", "commits/1", "offsets/1")
    assert (told.kind, told.batch) == ("next", 1)
    assert "In real-time mode rows that left after batch 0 leave once more" in told.text


def test_a_plan_without_a_commit_is_forgotten_whatever_the_format_of_commits(
    tmp_path: Path,
) -> None:
    assert (GOLDEN / "real_time/checkpoint/commits/0").read_text().startswith("v1\n")
    told = restart("real_time", tmp_path / "k17", "commits/1")
    assert "In real-time mode Spark forgets that plan" in told.text


@pytest.mark.parametrize("case", ["killed_after_offsets", "killed_before_offsets"])
def test_sources_that_mode_cannot_read_rule_it_out(case: str, tmp_path: Path) -> None:
    assert "real-time" not in restart(case, tmp_path / "files").text
