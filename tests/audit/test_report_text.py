"""The report as text, for windows of any width."""

import io

import pytest
from rich.console import Console

from holdfast.audit.audit import Audited
from holdfast.core.microbatch import CRASH_POINTS
from holdfast.surfaces.render.audit import text
from holdfast.surfaces.render.audit.columns import laid_out
from holdfast.surfaces.render.audit.wording import MARKS
from holdfast.surfaces.render.page import Page
from tests.audit.made_up import audited, convicted, outcome, points, rows, several_faults

EVERY_STAGE = points(stages=tuple(stage for stage in CRASH_POINTS if stage != "K0"))


def printed(monkeypatch: pytest.MonkeyPatch, done: Audited, width: int = 200) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, soft_wrap=True)
    monkeypatch.setattr(text, "Page", lambda: Page(console))
    text.print_audit(done, "/data/audit/1/report.html")
    return out.getvalue().splitlines()


def marks_in(lines: list[str]) -> int:
    """Marks of the matrix, which ends before the line that explains them."""
    end = next(number for number, line in enumerate(lines) if "every row once" in line)
    return sum(line.count(mark) for line in lines[:end] for mark in MARKS.values())


@pytest.mark.parametrize("width", [30, 50, 79, 80, 100, 125, 130, 200])
def test_every_point_has_a_mark_and_no_line_is_wider_than_the_window(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    done = audited(recorded=points(stages=("K5",) * 70 + ("K9",), batches=3))
    lines = printed(monkeypatch, done, width)
    assert marks_in(lines) == len(done.points)
    matrix = [line for line in lines if "● ●" in line]
    assert max(map(len, matrix)) <= width
    assert not [line for line in matrix if line != line.rstrip()]


@pytest.mark.parametrize("width", [30, 80, 140, 200])
def test_no_label_touches_its_marks(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    lines = printed(monkeypatch, audited(recorded=EVERY_STAGE), width)
    for stage, meaning in CRASH_POINTS.items():
        label = f"{stage:<3} {meaning}"
        found = [line for line in lines if label in line]
        assert len(found) == 1, label
        rest = found[0].partition(label)[2]
        assert rest == "" or rest.startswith("  ")


def test_a_wide_window_has_two_columns_and_a_narrow_one_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide, narrow = (printed(monkeypatch, audited(), width) for width in (160, 100))
    assert any("K0 " in line and "K6 " in line for line in wide)
    assert not any("K0 " in line and "K6 " in line for line in narrow)


def test_columns_stand_below_each_other() -> None:
    made = laid_out([("a", "●" * 20), ("bbb", "●"), ("cc", "●" * 3), ("d", "●")], 64)
    assert {sum((cell.width, cell.after)) for cell, _ in made} == {made[0][0].width + 4}
    assert [len(cell.label) for cell, _ in made] == [5] * len(made)
    assert sum(len(cell.marks) for line in made for cell in line) == 25


def test_nothing_to_lay_out_is_no_line() -> None:
    assert laid_out([], 80) == ()


def test_a_proof_says_what_it_holds_for(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch, audited())
    assert "  PROVEN exactly once for: sqlite upsert, partitions unknown, Spark 4.2.0" in lines
    assert lines[1].endswith("32 crash points recorded in 3 batches, each killed for real")
    told = next(line for line in lines if "killed (" in line)
    assert "32 of 32 killed (100 %)" in told
    assert "0 rows lost · 0 duplicated · 0 changed · 0 with half a batch visible" in told
    assert lines[-1] == "  report: /data/audit/1/report.html"


def test_one_point_left_out_is_no_full_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    every = points(batches=40)
    lines = printed(monkeypatch, audited(recorded=every, tried=len(every) - 1))
    assert any(f"{len(every) - 1} of {len(every)} killed (99 %)" in line for line in lines)
    assert any(line.startswith("  UNKNOWN: 1 of 402") for line in lines)
    assert "each killed" not in lines[1]


def test_a_conviction_gives_the_whole_command_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    done = convicted()
    lines = printed(monkeypatch, done, width=80)
    bad = [each for each in done.outcomes if each.is_bad]
    assert [line.strip() for line in lines if "again:" in line] == [
        f"again: {done.replay(each)}" for each in bad
    ]
    assert any("→ 10 rows duplicated" in line for line in lines)
    assert any("half batches not watched" in line for line in lines)
    assert any("the program's own Spark" in line for line in lines)


def test_faults_columns_and_points_that_were_only_seen_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = several_faults()
    lines = printed(monkeypatch, done)
    assert marks_in(lines) == 64
    assert lines[1].endswith("each struck for real")
    assert any("point 9, batch 0: disk-full at " in line for line in lines)
    again = f"--points {done.points[8].name} --faults disk-full --seed 7"
    assert any(line.endswith(again) for line in lines)
    told = next(line for line in lines if line.startswith("    for: "))
    assert told.endswith(
        "faults kill, disk-full, without the columns at, note, "
        "points seen and not held (no seccomp here)"
    )


def test_very_many_bad_outcomes_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    every = points()
    bad = {p.number: outcome(p, "wrong", comparison=rows(lost=1, changed=2)) for p in every}
    lines = printed(monkeypatch, audited(bad))
    assert sum("again:" in line for line in lines) == 10
    assert any("… and 22 more" in line for line in lines)
    assert any("→ 1 row lost, 2 rows changed" in line for line in lines)


def test_data_cannot_move_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = outcome(
        points()[0],
        "wrong",
        comparison=rows(lost=1),
        examples=("lost: note=\x1b[2J\n\ud800[bold]",),
        folder="/data/\x07",
    )
    lines = printed(monkeypatch, audited({1: bad}))
    assert any(r"lost: note=\x1b[2J\n\ud800[bold]" in line for line in lines)
    assert "\x1b" not in "".join(lines) and "\x07" not in "".join(lines)
