"""The suite acquits what is right and convicts what is wrong, each by the test meant for it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.core.running.ports import BatchSink
from holdfast.testing import SinkConformance, crashes
from tests.testing import broken_sinks
from tests.testing.small_sink import Small, SmallSink

BROKEN = [kind for kind in Small.__subclasses__() if kind.__module__ == broken_sinks.__name__]
NEEDS_GATE = {
    "test_killed_before_every_file_operation",
    "test_a_held_writer_is_fenced",
    "test_a_writer_is_fenced_while_another_opens",
}


class TestSmall(Small):
    """The sink that the broken ones are made from passes."""


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_a_broken_sink_is_convicted(kind: type[Small], tmp_path: Path) -> None:
    if kind.meant in NEEDS_GATE and gate_obstacle() is not None:
        pytest.skip(str(gate_obstacle()))
    with pytest.raises(AssertionError) as raised:
        getattr(kind(), kind.meant)(tmp_path)
    assert kind.says in str(raised.value)


def test_every_test_of_the_suite_convicts_somebody() -> None:
    tests = {name for name in dir(SinkConformance) if name.startswith("test_")}
    assert tests == {kind.meant for kind in BROKEN}


class Nothing(SinkConformance):
    """Nobody has written the two methods."""


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match=r"write open_sink\(self, folder\)"):
        Nothing().test_the_last_batch_is_told(tmp_path)


class Unreadable(Small):
    def read(self, folder: Path) -> Iterable[Any]:
        raise OSError("no such table")


def test_what_reading_raises_is_not_hidden(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no such table"):
        Unreadable().test_a_batch_is_written_and_visible(tmp_path)


class RaisesElsewhere(Small):
    def open_sink(self, folder: Path) -> SmallSink:
        raise ValueError("no server here")


def test_what_the_sink_raises_in_another_process_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="the sink raised ValueError: no server here"):
        RaisesElsewhere().test_a_new_process_sees_what_another_wrote(tmp_path)


class Unmade(Small):
    def __init__(self, server: str) -> None:
        self.server = server


def test_a_class_that_another_process_cannot_make_says_why(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"(?s)has died:.*missing 1 required .*'server'"):
        Unmade("here").test_killed_among_the_rows(tmp_path)


def test_a_class_inside_a_function_says_why(tmp_path: Path) -> None:
    class Inner(Small):
        pass

    with pytest.raises(AssertionError, match="other processes cannot import it"):
        Inner().test_killed_among_the_rows(tmp_path)


def test_without_a_gate_its_tests_are_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crashes, "gate_obstacle", lambda: "this kernel allows none")
    for name in sorted(NEEDS_GATE):
        with pytest.raises(pytest.skip.Exception, match="this kernel allows none"):
            getattr(Small(), name)(tmp_path)


def test_a_sink_without_files_skips_their_kills(tmp_path: Path) -> None:
    if gate_obstacle() is not None:
        pytest.skip(str(gate_obstacle()))
    with pytest.raises(pytest.skip.Exception, match="changes no file below the folder"):
        Elsewhere().test_killed_before_every_file_operation(tmp_path)


class Elsewhere(Small):
    """Stands for a sink with a server: its files are not below the folder."""

    def open_sink(self, folder: Path) -> BatchSink:
        return super().open_sink(self._other(folder))

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return super().read(self._other(folder))

    def _other(self, folder: Path) -> Path:
        other = folder.with_name(f"server-of-{folder.name}")
        other.mkdir(exist_ok=True)
        return other
