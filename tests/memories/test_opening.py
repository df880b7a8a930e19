"""Who is asked for a memory, what is said where a library is missing, and what is never shown."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.memories import opening
from holdfast.adapters.memories.opening import read_memory
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.job import SinkSpec
from holdfast.core.running.ports import NativeSink
from holdfast.core.secret_text import SecretText

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"


class FakeSink:
    """Stands for a sink that another package brings; no such package is installed here."""

    name = "loft"

    def __init__(self, last: int | Exception | None) -> None:
        self._last = last

    def last_batch(self, query_id: str) -> int | None:
        assert query_id == QUERY
        if isinstance(self._last, Exception):
            raise self._last
        return self._last


def brings(monkeypatch: pytest.MonkeyPatch, sink: Any) -> SinkSpec:
    def opened(kind: str, options: Mapping[str, Any]) -> Any:
        assert kind == "pigeon"
        return sink

    monkeypatch.setattr(opening, "open_sink", opened)
    return SinkSpec(kind="pigeon", options={})


def native(form: str, path: Path | None) -> NativeSink:
    return NativeSink(format=form, path=None if path is None else str(path), options={})


def test_a_sink_of_another_package_is_asked_for_its_last_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = read_memory(brings(monkeypatch, FakeSink(4)), QUERY)
    assert (found.kind, found.skips) == ("own", "at-or-below")
    assert isinstance(found.last, Known) and found.last.value == 4
    assert isinstance(read_memory(brings(monkeypatch, FakeSink(None)), QUERY).last, Absent)
    assert isinstance(read_memory(brings(monkeypatch, FakeSink(4)), None).last, Unreadable)


def test_a_sink_of_another_package_that_fails_does_not_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing = FakeSink(ValueError("password=hunter2-and-more"))
    found = read_memory(brings(monkeypatch, failing), QUERY)
    assert isinstance(found.last, Unreadable) and "ValueError" in found.last.reason
    assert "hunter2" not in repr(found)


@pytest.mark.parametrize(
    ("form", "kind"),
    [("json", "file-sink"), ("delta", "delta"), ("iceberg", "iceberg"), ("kafka", "none")],
)
def test_what_spark_writes_for_another_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str, kind: str
) -> None:
    if form == "iceberg":
        pytest.importorskip("pyiceberg")
    found = read_memory(brings(monkeypatch, native(form, tmp_path / "out")), QUERY)
    assert found.kind == kind and isinstance(found.last, Absent)
    assert (found.skips == "never") is (kind == "none")


def test_a_format_that_nobody_knows_is_not_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_memory(brings(monkeypatch, native("hudi", Path("/out"))), QUERY)
    assert isinstance(found.last, Unreadable) and found.kind != "none"


@pytest.mark.parametrize(
    ("module", "library", "where"),
    [
        ("delta", "deltalake", "delta:/gold"),
        ("iceberg", "pyiceberg", "iceberg:/gold"),
        ("kafka", "confluent_kafka", "kafka:127.0.0.1:9/events"),
    ],
)
def test_a_library_that_is_missing_is_named_with_its_line(
    monkeypatch: pytest.MonkeyPatch, module: str, library: str, where: str
) -> None:
    for name in list(sys.modules):
        ours = name == f"holdfast.adapters.memories.{module}" or name.startswith(
            ("holdfast.adapters.memories.delta_commits", "holdfast.adapters.sinks.kafka")
        )
        if ours or name.partition(".")[0] == library:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    found = read_memory(where, QUERY)
    assert isinstance(found.last, Unreadable) and found.last.code == "HF008"
    assert any("pip install 'holdfast[" in note for note in found.notes)


def test_a_path_from_the_environment_is_shown_as_its_reference(tmp_path: Path) -> None:
    secret = SecretText(str(tmp_path / "very-secret-tenant"), "${env:LAKE}")
    for kind in ("delta", "file", "files"):
        found = read_memory(SinkSpec(kind=kind, options={"path": secret}), QUERY)
        assert found.sink == "${env:LAKE}" and "very-secret-tenant" not in repr(found)
    (tmp_path / "very-secret-tenant" / "_delta_log").mkdir(parents=True)
    broken = read_memory(SinkSpec(kind="delta", options={"path": secret}), QUERY)
    assert isinstance(broken.last, Unreadable) and "very-secret-tenant" not in repr(broken)


def test_a_mistake_of_a_library_comes_back_as_unreadable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Library:
        @staticmethod
        def read_file_sink(path: str) -> None:
            raise ZeroDivisionError(path)

    monkeypatch.setattr(opening, "_load", lambda name: Library)
    found = read_memory(f"spark-files:{tmp_path}", QUERY)
    assert isinstance(found.last, Unreadable) and found.last.code == "HF009"
