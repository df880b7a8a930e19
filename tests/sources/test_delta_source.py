"""Delta sources: tables that delta-rs really wrote, and a position as Spark stores it."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from holdfast.adapters.sources import delta
from holdfast.adapters.sources.opening import read_source
from holdfast.core.evidence.source_findings import source_findings
from holdfast.core.evidence.source_state import SourceState, lag_records_total, sameness, time_left
from holdfast.core.formats.delta_commit import checkpoint_version, commit_version, interval_ms
from holdfast.core.offsets.registry import SourceOffset, interpret_offset

DAY_MS = 86_400_000


def append(table: Path, *rows: int, **more: Any) -> None:
    write_deltalake(table, pa.table({"id": list(rows)}), mode="append", **more)


def offset(table: Path, version: int, index: int = -1, *, starting: bool = False) -> SourceOffset:
    value = {
        "sourceVersion": 1,
        "reservoirId": str(DeltaTable(table).metadata().id),
        "reservoirVersion": version,
        "index": index,
        "isStartingVersion": starting,
    }
    return interpret_offset(json.dumps(value, separators=(",", ":")))


def ask(table: Path, at: SourceOffset | None, **more: Any) -> SourceState:
    return read_source(f"delta:{table}", at, **more)


def codes(state: SourceState) -> list[str]:
    return [finding.code for finding in source_findings(state, 0)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Versions 0 to 3, with 1 to 4 rows."""
    folder = tmp_path / "t"
    for count in (1, 2, 3, 4):
        append(folder, *range(count))
    return folder


def test_lag_is_told_in_versions_and_in_records(table: Path) -> None:
    state = ask(table, offset(table, 2))
    [part] = state.parts
    assert (part.stored, part.earliest, part.latest, part.lag) == (2, 0, 4, 2)
    assert lag_records_total(state) == 7
    assert (sameness(state), part.stored_is_readable, state.problem) == ("same", True, None)
    commit = table / "_delta_log" / f"{2:020d}.json"
    written_ms = commit.stat().st_mtime_ns // 1_000_000
    assert part.stored_at_ms == written_ms
    assert time_left(part, written_ms) == 30 * DAY_MS
    assert state.checked_count == 2


def test_a_stream_that_has_read_everything_stands_behind_the_last_version(table: Path) -> None:
    state = ask(table, offset(table, 4))
    assert (state.parts[0].lag, state.parts[0].stored_is_readable) == (0, True)
    assert lag_records_total(state) == 0
    assert codes(state) == []


def test_files_of_a_version_that_were_read_are_not_counted(table: Path) -> None:
    assert lag_records_total(ask(table, offset(table, 3, 0))) == 0
    assert lag_records_total(ask(table, offset(table, 3))) == 4
    # Delta has several numbers for a place before all files of a version.
    assert lag_records_total(ask(table, offset(table, 3, -20))) == 4


def test_commits_that_the_log_no_longer_has_are_lost(table: Path) -> None:
    DeltaTable(table).create_checkpoint()
    for version in (0, 1, 2):
        (table / "_delta_log" / f"{version:020d}.json").unlink()
    state = ask(table, offset(table, 1))
    assert (state.parts[0].earliest, state.parts[0].lost) == (3, 2)
    assert codes(state) == ["HF301"]
    # A stream still inside its first snapshot needs that snapshot, which the checkpoint has.
    # Its files are not looked at, so it is not called readable either.
    assert ask(table, offset(table, 3, 0, starting=True)).parts[0].stored_is_readable is None
    assert ask(table, offset(table, 2, 0, starting=True)).parts[0].stored_is_readable is False


def test_another_table_in_the_same_place_is_told(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    append(other, 1)
    state = ask(table, offset(other, 1))
    assert sameness(state) == "other"
    assert codes(state) == ["HF302"]


def test_a_restored_or_shorter_table_is_past_its_end(table: Path) -> None:
    assert codes(ask(table, offset(table, 9))) == ["HF303"]


def test_files_that_a_vacuum_took_are_named(table: Path) -> None:
    DeltaTable(table).delete("id >= 0")
    DeltaTable(table).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    state = ask(table, offset(table, 2))
    assert state.missing_count == 2
    assert state.parts[0].stored_is_readable is False
    assert "HF304" in codes(state)


def test_what_is_past_a_limit_is_not_called_readable(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delta, "COMMITS_READ_MAX", 1)
    state = ask(table, offset(table, 2))
    assert (state.parts[0].stored_is_readable, state.parts[0].lag_records) == (None, None)
    assert codes(state) == ["HF308"]


def test_files_and_commits_that_give_no_answer_are_a_problem(table: Path) -> None:
    data = next(path for path in table.iterdir() if path.suffix == ".parquet")
    everything = offset(table, 0)
    data.rename(table / "real")
    data.symlink_to(table / "real")
    state = ask(table, everything)
    assert state.problem is not None and state.parts[0].stored_is_readable is None
    (table / "_delta_log" / f"{1:020d}.json").write_bytes(b'{"add":')
    damaged = ask(table, everything)
    assert damaged.problem is not None and damaged.parts == ()


def test_removed_files_start_the_shorter_clock_of_vacuum(table: Path) -> None:
    DeltaTable(table).delete("id >= 0")
    [part] = ask(table, offset(table, 2)).parts
    assert part.retention_ms == 7 * DAY_MS


def test_retention_is_that_of_the_table(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    kept = {"delta.logRetentionDuration": "interval 2 days"}
    append(folder, 1, configuration=kept)
    [part] = ask(folder, offset(folder, 0)).parts
    assert part.retention_ms == 2 * DAY_MS


def test_a_table_that_is_not_there_is_a_problem_and_not_an_empty_one(
    table: Path, tmp_path: Path
) -> None:
    state = ask(tmp_path / "nothing", offset(table, 1))
    assert state.problem is not None and state.parts == ()
    assert codes(state) == ["HF305"]
    of_kafka = interpret_offset('{"t":{"0":1}}')
    assert "one of kafka" in str(ask(table, of_kafka).problem)
    assert read_source(None, offset(table, 1)).problem is not None


def test_a_first_batch_in_flight_tells_the_table_all_the_same(table: Path) -> None:
    state = ask(table, None, planned=offset(table, 1))
    assert sameness(state) == "same"
    assert (state.parts[0].stored, state.parts[0].lag, codes(state)) == (None, None, [])


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("interval 30 days", 30 * DAY_MS),
        ("interval 1 week", 7 * DAY_MS),
        ("INTERVAL 1 day 2 hours", DAY_MS + 7_200_000),
        ("interval 2 months", None),
        ("", None),
    ],
)
def test_intervals_of_delta(text: str, ms: int | None) -> None:
    assert interval_ms(text) == ms


def test_names_of_the_log() -> None:
    assert commit_version(f"{7:020d}.json") == 7
    assert commit_version(f"{7:020d}.crc") is None
    for name in (
        "checkpoint.parquet",
        f"checkpoint.{1:010d}.{2:010d}.parquet",
        "checkpoint.a.json",
    ):
        assert checkpoint_version(f"{7:020d}.{name}") == 7
    assert checkpoint_version("_last_checkpoint") is None
