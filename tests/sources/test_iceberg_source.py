"""Iceberg sources: metadata that pyiceberg 0.12 wrote, before and after an expiry.

Three appends of 10, 20 and 30 rows; then the first snapshot was expired.
"""

import shutil
from pathlib import Path

import pytest

from holdfast.adapters.sources.opening import read_source
from holdfast.core.evidence.source_findings import source_findings
from holdfast.core.evidence.source_state import SourceState, sameness, time_left
from holdfast.core.fact import Known
from holdfast.core.formats.iceberg_metadata import metadata_number, parse_iceberg_metadata
from holdfast.core.offsets.registry import interpret_offset
from holdfast.errors import MalformedError

TABLE = Path(__file__).parent / "iceberg_by_pyiceberg"
BEFORE, AFTER = sorted((TABLE / "metadata").iterdir())
SNAPSHOTS = parse_iceberg_metadata(BEFORE.read_bytes()).snapshots


def ask(table: Path, snapshot: int, before: str | None = None) -> SourceState:
    text = f'{{"version":1,"snapshot_id":{snapshot},"position":1,"scan_all_files":false}}'
    remembered = None if before is None else Known(before, "runs")
    return read_source(f"iceberg:{table}", interpret_offset(text), remembered=remembered)


def errors(state: SourceState) -> list[str]:
    return [f.code for f in source_findings(state, 0) if f.severity == "error"]


@pytest.fixture
def unexpired(tmp_path: Path) -> Path:
    (tmp_path / "metadata").mkdir()
    shutil.copy(BEFORE, tmp_path / "metadata")
    return tmp_path


def test_snapshots_after_the_stored_one_are_the_lag(unexpired: Path) -> None:
    state = ask(unexpired, SNAPSHOTS[0].snapshot_id)
    [part] = state.parts
    assert (part.lag, part.lag_records, part.stored_is_readable) == (2, 50, True)
    assert (part.stored, part.latest) == (1, 3)
    assert time_left(part, SNAPSHOTS[0].at_ms) == 5 * 86_400_000
    assert errors(state) == []


def test_a_stream_that_has_read_nothing_has_all_of_it_to_read(unexpired: Path) -> None:
    [part] = ask(unexpired, -1).parts
    assert (part.lag, part.stored, part.stored_is_readable) == (3, None, None)


def test_a_snapshot_that_is_not_in_the_line_of_the_current_one_was_rolled_back(
    unexpired: Path,
) -> None:
    [path] = (unexpired / "metadata").iterdir()
    current = f'"current-snapshot-id":{SNAPSHOTS[2].snapshot_id}'
    back = f'"current-snapshot-id":{SNAPSHOTS[1].snapshot_id}'
    assert current in path.read_text()
    path.write_text(path.read_text().replace(current, back))
    assert errors(ask(unexpired, SNAPSHOTS[2].snapshot_id)) == ["HF303"]


def test_an_expired_snapshot_is_gone() -> None:
    state = ask(TABLE, SNAPSHOTS[0].snapshot_id)
    assert state.parts[0].stored_is_readable is False
    assert errors(state) == ["HF301"]
    assert errors(ask(TABLE, SNAPSHOTS[1].snapshot_id)) == []


def test_the_newest_metadata_is_taken_unless_a_hint_names_another(unexpired: Path) -> None:
    shutil.copy(AFTER, unexpired / "metadata")
    assert errors(ask(unexpired, SNAPSHOTS[0].snapshot_id)) == ["HF301"]
    (unexpired / "metadata" / "version-hint.text").write_text("3")
    assert errors(ask(unexpired, SNAPSHOTS[0].snapshot_id)) == []


def test_a_table_is_told_by_its_uuid() -> None:
    uuid = parse_iceberg_metadata(BEFORE.read_bytes()).table_uuid
    newest = SNAPSHOTS[-1].snapshot_id
    assert sameness(ask(TABLE, newest, uuid)) == "same"
    assert errors(ask(TABLE, newest, "another")) == ["HF302"]
    assert sameness(ask(TABLE, newest)) == "unknown"


def test_what_is_no_table_is_a_problem(tmp_path: Path) -> None:
    assert ask(tmp_path, 1).problem is not None
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").write_text('{"format-version":2}')
    assert ask(tmp_path, 1).problem is not None


@pytest.mark.parametrize("text", ["[]", "{", '{"table-uuid":"a","snapshots":[1]}'])
def test_damaged_metadata_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        parse_iceberg_metadata(text.encode())


def test_names_of_metadata_files() -> None:
    assert metadata_number("v12.metadata.json") == 12
    assert metadata_number(AFTER.name) == 4
    assert metadata_number("snap-1-0-a.avro") is None
