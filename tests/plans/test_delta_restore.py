"""A Delta table goes back, forth and back again, from wherever it was stopped; without Spark."""

from collections import Counter
from pathlib import Path

import pyarrow
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from holdfast.adapters.memories.delta_span import span_after
from holdfast.adapters.places.opening import open_place
from holdfast.adapters.requirements import what_changed
from holdfast.adapters.steps import delta
from holdfast.adapters.steps.carrying import carry_out
from holdfast.core.plans.requirement import SinkIs
from holdfast.core.plans.step import RestoreTable
from holdfast.errors import RefusedError, StalePlanError

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"
OPERATION = "0123456789ab"


def append(path: Path, value: int, batch: int | None) -> None:
    marks = [] if batch is None else [Transaction(QUERY, batch, 1)]
    rows = pyarrow.table({"value": [value, value]})
    commit = CommitProperties(app_transactions=marks)
    write_deltalake(str(path), rows, mode="append", commit_properties=commit)


def values(path: Path) -> Counter[int]:
    return Counter(DeltaTable(str(path)).to_pyarrow_table()["value"].to_pylist())


def mark(path: Path) -> int | None:
    return DeltaTable(str(path)).transaction_version(QUERY)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "gold"
    for batch in range(4):
        append(path, batch, batch)
    return path


def step_of(path: Path, keep: int = 1) -> RestoreTable:
    span = span_after(str(path), QUERY, keep, app=None, ledger=None)
    assert span is not None and span.to_version is not None and span.hinders is None
    return RestoreTable(
        place=span.place,
        version=span.version,
        to_version=span.to_version,
        app=span.app,
        mark=span.mark,
        to_mark=keep,
        says="restore",
    )


BEFORE, AFTER = Counter({0: 2, 1: 2, 2: 2, 3: 2}), Counter({0: 2, 1: 2})


def test_do_undo_and_undo_of_undo(table: Path) -> None:
    step = step_of(table)
    for direction, rows, memory in [
        ("do", AFTER, 1),
        ("undo", BEFORE, 3),
        ("do", AFTER, 1),
        ("undo", BEFORE, 3),
    ]:
        for _ in range(2):  # the second is what comes after a kill before it was noted
            carry_out(step, direction, OPERATION, open_place)  # type: ignore[arg-type]
            assert (values(table), mark(table)) == (rows, memory)
    assert DeltaTable(str(table)).version() == step.version + 4


def test_an_undo_of_what_never_began_changes_nothing(table: Path) -> None:
    step = step_of(table)
    carry_out(step, "undo", OPERATION, open_place)
    assert DeltaTable(str(table)).version() == step.version


def test_a_restore_that_fails_leaves_the_table_as_it_was(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = step_of(table)

    def failing(*arguments: object, **more: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(delta.DeltaTable, "restore", failing)
        with pytest.raises(RefusedError, match="no space left"):
            carry_out(step, "do", OPERATION, open_place)
    assert (values(table), mark(table)) == (BEFORE, 3)
    carry_out(step, "do", OPERATION, open_place)
    assert (values(table), mark(table)) == (AFTER, 1)


@pytest.mark.parametrize("done", [False, True])
def test_somebody_who_wrote_meanwhile_is_not_undone(table: Path, done: bool) -> None:
    step = step_of(table)
    if done:
        carry_out(step, "do", OPERATION, open_place)
    append(table, 9, None)
    rows = values(table)
    with pytest.raises(StalePlanError, match="somebody else wrote"):
        carry_out(step, "undo" if done else "do", OPERATION, open_place)
    assert values(table) == rows


def test_the_rows_are_counted(table: Path) -> None:
    span = span_after(str(table), QUERY, 1, app=None, ledger=None)
    assert span is not None
    assert (span.rows, span.rows_kept, span.to_version) == (8, 4, 1)


def test_nothing_to_take_out(table: Path) -> None:
    span = span_after(str(table), QUERY, 3, app=None, ledger=None)
    assert span is not None and span.to_version is None


def test_another_writer_in_between_hinders_and_one_before_does_not(table: Path) -> None:
    append(table, 8, None)
    span = span_after(str(table), QUERY, 1, app=None, ledger=None)
    assert span is not None and "somebody else wrote" in str(span.hinders)
    append(table, 4, 4)
    later = span_after(str(table), QUERY, 3, app=None, ledger=None)
    assert later is not None and (later.hinders, later.to_version) == (None, 4)


def test_a_table_made_by_such_a_batch_has_no_earlier_version(tmp_path: Path) -> None:
    append(tmp_path / "gold", 5, 5)
    span = span_after(str(tmp_path / "gold"), QUERY, 1, app=None, ledger=None)
    assert span is not None and "no version before" in str(span.hinders)


def test_files_that_a_vacuum_removed_are_missed_at_planning(table: Path) -> None:
    for name in DeltaTable(str(table)).file_uris():
        Path(name).rename(f"{name}.gone")
    write_deltalake(
        str(table),
        pyarrow.table({"value": [7]}),
        mode="overwrite",
        commit_properties=CommitProperties(app_transactions=[Transaction(QUERY, 4, 1)]),
    )
    span = span_after(str(table), QUERY, 1, app=None, ledger=None)
    assert span is not None and "VACUUM" in str(span.hinders)


def test_a_sink_that_moved_makes_a_plan_stale(table: Path) -> None:
    sink = f"delta:{table}"
    need = SinkIs(sink=sink, query_id=QUERY, last=3, version=3)
    assert what_changed(need, open_place, 0) is None
    append(table, 9, None)
    assert "its version is 4, and was 3" in str(what_changed(need, open_place, 0))
    append(table, 4, 4)
    assert "holds batches up to 4" in str(what_changed(need, open_place, 0))
    (table / "_delta_log").rename(table / "elsewhere")
    assert "holds no batch" in str(what_changed(need, open_place, 0))
