"""File sources: golden checkpoints of real Spark, with their input files made anew."""

import os
import shutil
from pathlib import Path

import pytest

from holdfast.adapters.sources import files
from holdfast.flows.sources.lag import Lag, lag
from tests.checkpoint_builder import CheckpointBuilder

GOLDEN = Path(__file__).parent.parent / "golden" / "4.2.0"
TIME_MS = 1_767_225_600_000


def ask(folder: Path, *sources: str) -> Lag:
    return lag(str(folder), file="none", profile=None, sources=sources)


def codes(found: Lag) -> list[str]:
    return [finding.code for finding in found.findings]


def make_file(path: Path, time_ms: int = TIME_MS) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    os.utime(path, ns=(time_ms * 1_000_000, time_ms * 1_000_000))


def entry(path: Path, log_id: int, time_ms: int = TIME_MS) -> str:
    return f'{{"path":"{path.as_uri()}","timestamp":{time_ms},"batchId":{log_id}}}'


@pytest.fixture
def world(tmp_path: Path) -> tuple[Path, Path]:
    """A checkpoint whose batches 0 and 1 each read one file, and the folder of the files."""
    data = tmp_path / "in put"
    builder = CheckpointBuilder(tmp_path / "c").metadata()
    for number in (0, 1):
        path = data / f"{number}.json"
        make_file(path)
        builder.write(f"sources/0/{number}", f"v1\n{entry(path, number)}")
        builder.plan(number, f'{{"logOffset":{number}}}').commit(number)
    return builder.root, data


def test_files_that_are_there_and_unchanged(world: tuple[Path, Path]) -> None:
    checkpoint, data = world
    found = ask(checkpoint, f"files:{data}")
    [state] = found.sources
    assert (state.checked_count, state.missing_count, state.altered_count) == (2, 0, 0)
    assert (state.parts[0].lag, codes(found), found.is_known) == (0, [], True)


def test_new_files_are_counted_as_spark_would_list_them(world: tuple[Path, Path]) -> None:
    checkpoint, data = world
    for name in ("2.json", "day=1/3.json", "_hidden.json", ".x.json", "other/4.json", "_t/5.json"):
        make_file(data / name)
    assert ask(checkpoint, f"files:{data}").sources[0].parts[0].lag == 2
    assert ask(checkpoint).sources[0].parts[0].lag is None


def test_files_that_were_read_may_go_and_are_told(world: tuple[Path, Path]) -> None:
    checkpoint, data = world
    (data / "0.json").unlink()
    make_file(data / "1.json", TIME_MS + 5_000)
    found = ask(checkpoint, f"files:{data}")
    [state] = found.sources
    assert (state.missing_count, state.altered_count, state.needed_count) == (1, 1, 0)
    assert codes(found) == ["HF307"]


def test_files_of_a_batch_in_flight_may_not(world: tuple[Path, Path]) -> None:
    checkpoint, data = world
    (checkpoint / "commits" / "1").unlink()
    assert ask(checkpoint, f"files:{data}").sources[0].parts[0].lag == 1
    (data / "1.json").unlink()
    found = ask(checkpoint, f"files:{data}")
    assert codes(found) == ["HF304"]
    assert found.sources[0].missing == ((data / "1.json").as_uri(),)


def test_a_whole_folder_that_is_gone(world: tuple[Path, Path]) -> None:
    checkpoint, data = world
    shutil.rmtree(data)
    assert ask(checkpoint).sources[0].missing_count == 2


def test_what_cannot_be_looked_at_is_not_called_gone(world: tuple[Path, Path]) -> None:
    checkpoint, data = world
    (data / "1.json").rename(data / "real")
    (data / "1.json").symlink_to(data / "real")
    [state] = ask(checkpoint).sources
    assert (state.missing_count, state.checked_count) == (0, 1)
    assert any("could not be looked at" in note for note in state.notes)
    assert state.problem is None, "it was read already"
    (checkpoint / "commits" / "1").unlink()
    found = ask(checkpoint)
    assert not found.is_known
    assert found.sources[0].parts[0].stored_is_readable is None


def test_only_so_many_files_are_looked_at_and_that_is_said(
    world: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FILES_CHECKED_MAX", 1)
    [state] = ask(world[0]).sources
    assert state.checked_count == 1
    assert any("1 older" in note for note in state.notes)


def test_only_so_many_folders_are_looked_at_and_that_is_said(
    world: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FOLDERS_LOOKED_AT_MAX", 0)
    [state] = ask(world[0]).sources
    assert state.checked_count == 0
    assert any("2 files of the log could not be looked at" in note for note in state.notes)


def test_a_damaged_log_is_a_problem(world: tuple[Path, Path]) -> None:
    (world[0] / "sources" / "0" / "1").write_text("v1\nnonsense")
    found = ask(world[0])
    assert not found.is_known
    assert "HF305" in codes(found)


def test_the_compacted_log_of_real_spark_is_read_whole() -> None:
    """Its input files lay in a folder that is no more."""
    [state] = ask(GOLDEN / "file_compacted" / "checkpoint").sources
    assert state.checked_count == state.missing_count > 10
    assert state.needed_count == 0


def test_a_rate_source_says_what_can_be_said() -> None:
    found = ask(GOLDEN / "rate" / "checkpoint")
    assert found.sources[0].kind == "rate"
    assert found.is_known and codes(found) == ["HF308"]


def test_a_source_of_one_s_own_cannot_be_asked() -> None:
    found = ask(GOLDEN / "python_data_source" / "checkpoint")
    assert found.sources[0].kind == "other"
    assert not found.is_known


def test_every_golden_checkpoint_gets_an_answer() -> None:
    for case in sorted(GOLDEN.iterdir()):
        found = ask(case / "checkpoint")
        assert all(state.where == "" for state in found.sources), case


def test_a_file_of_the_batch_in_flight_tells_when_it_was_touched(
    world: tuple[Path, Path],
) -> None:
    checkpoint, data = world
    (checkpoint / "commits" / "1").unlink()
    written_ms = (data / "1.json").stat().st_ctime_ns // 1_000_000
    [state] = ask(checkpoint, f"files:{data}").sources
    assert [Path(each.path).name for each in state.touched] == ["1.json"]
    assert state.touched[0].at_ms == written_ms
    wait_past(written_ms, data / "clock")
    (data / "1.json").write_text('{"other": 1}')
    os.utime(data / "1.json", ns=(TIME_MS * 1_000_000, TIME_MS * 1_000_000))
    [again] = ask(checkpoint, f"files:{data}").sources
    assert (again.altered_count, again.needed_count) == (0, 0), "by its time it is the same file"
    assert again.touched[0].at_ms > written_ms


def wait_past(time_ms: int, clock: Path) -> None:
    """Until the file system itself stamps a later time."""
    while True:
        clock.write_text("")
        if clock.stat().st_ctime_ns // 1_000_000 > time_ms:
            return


def test_files_of_finished_batches_are_not_told_of(world: tuple[Path, Path]) -> None:
    checkpoint, data = world
    assert ask(checkpoint, f"files:{data}").sources[0].touched == ()
