"""`apply` and `undo`, really killed at a sample of their durable calls; all of them in docs."""

from pathlib import Path

import pytest
from scripts.operations.killing import sweep
from scripts.operations.worlds import CASES, World

EVERY = 11


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_kill_leaves_a_way_on_and_a_way_back(case: object, tmp_path: Path) -> None:
    swept = sweep(World(tmp_path, case), EVERY, 1 + CASES.index(case))  # type: ignore[arg-type]
    assert swept.wrong == []
    assert swept.kills >= 5
    assert swept.continued == swept.undone == swept.kills
