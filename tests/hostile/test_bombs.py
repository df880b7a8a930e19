"""What asks for much memory, time or loops is bounded, and named where it is no checkpoint."""

from pathlib import Path

import pytest

from .bombs import BOMBS, MIB, Bomb
from .measured_run import assert_bounded, run
from .small_checkpoint import make_checkpoint, offsets_text, write, write_sparse


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_bomb_is_bounded_and_named(bomb: Bomb, tmp_path: Path) -> None:
    root = make_checkpoint(tmp_path / "checkpoint")
    codes = bomb(root)

    plain = run(["show", str(root)])
    assert_bounded(plain)
    assert plain.exit_code in (0, 1)

    verified = run(["show", str(root), "--verify", "--output", "json"])
    assert_bounded(verified)
    assert codes <= verified.codes()
    errors = [w for w in verified.envelope()["warnings"] if w["severity"] == "error"]
    assert verified.exit_code == (1 if errors else 0)


def test_plans_that_are_compared_are_not_held_in_memory(tmp_path: Path) -> None:
    roots = [make_checkpoint(tmp_path / name, batches=0) for name in ("left", "right")]
    for root in roots:
        for batch in range(40):
            write_sparse(root, f"offsets/{batch}", 7 * MIB, b"v1\n{}\n")
    ran = run(["diff", *map(str, roots), "--output", "json"])
    assert_bounded(ran)
    assert ran.envelope()["result"]["last_equal_batch"] == 39


def test_a_fleet_inside_one_checkpoint_is_walked_once(tmp_path: Path) -> None:
    outer = make_checkpoint(tmp_path / "outer")
    for number in range(3_000):
        make_checkpoint(outer / f"x/{number}", batches=1)
    ran = run(["fleet", str(outer), "--output", "json"])
    assert_bounded(ran)
    assert ran.envelope()["result"]["count"] == 3_001
    assert ran.exit_code == 1
    assert {"HF122", "HF123"} <= ran.codes()


def test_the_input_files_of_a_batch_are_not_all_held_in_memory(tmp_path: Path) -> None:
    root = make_checkpoint(tmp_path / "checkpoint")
    write(root, "offsets/1", offsets_text('{"logOffset":20}'))
    for entry in range(21):
        head = b'v1\n{"path":"a","timestamp":1,"batchId":1}\n'
        write_sparse(root, f"sources/0/{entry}", 40 * MIB, head)
    ran = run(["show", str(root), "--batch", "1", "--output", "json"])
    assert_bounded(ran)
    assert ran.envelope()["result"]["batch"]["sources"][0]["files"] is None
