"""The archive of Spark's classes: one for each set of jars, since Java passes over any other."""

from pathlib import Path
from typing import Any, Self

import pytest

from holdfast.adapters.surroundings import java_archive


class Warmed:
    """In place of a start of Spark: leaves the archive that was asked for."""

    starts = 0

    def __init__(self, _arguments: list[str], *, environ: dict[str, str], **_rest: Any) -> None:
        Warmed.starts += 1
        Path(environ["SPARK_SUBMIT_OPTS"].rpartition("=")[2]).touch()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def wait(self, _seconds: float) -> int:
        return 0


def test_each_spark_has_an_archive_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java_archive, "ProcessGroup", Warmed)
    monkeypatch.setattr(Warmed, "starts", 0)
    environ = {"HOLDFAST_CACHE": str(tmp_path), "PATH": "/usr/bin"}

    def options(**more: str) -> str:
        return java_archive.quick_java_options("python", {**environ, **more})

    first = options()
    assert options() == first
    assert Warmed.starts == 1
    others = {options(SPARK_HOME="/opt/spark"), options(JAVA_HOME="/opt/java"), first}
    assert len(others) == 3
    assert Warmed.starts == 3


def test_only_some_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_archive, "ProcessGroup", Warmed)
    for number in range(8):
        environ = {"HOLDFAST_CACHE": str(tmp_path), "SPARK_HOME": f"/opt/spark-{number}"}
        newest = java_archive.quick_java_options("python", environ).rpartition("=")[2]
        assert Path(newest).exists()
    assert len(list(tmp_path.rglob("*.jsa"))) == 5
