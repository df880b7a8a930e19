"""The sink and the test file of docs/testing.md, as they stand there."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

from holdfast import testing
from holdfast.testing import SinkConformance, Subject, Wishes, assert_audit

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
SUITE = [name for name in dir(SinkConformance) if name.startswith("test_")]


def pytest_run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [Path(sys.executable).with_name("pytest"), "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "-q", "-W", "error", "-rA", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if "PYTEST" not in name},
        capture_output=True,
        text=True,
    )


def written(folder: Path, *changes: tuple[str, str]) -> Path:
    """The files that name themselves in their first line."""
    files = {block.partition("\n")[0].removeprefix("# "): block for block in BLOCKS[:2]}
    assert sorted(files) == ["shelf.py", "test_shelf.py"]
    for name, text in files.items():
        for old, new in changes:
            assert name != "shelf.py" or old in text
            text = text.replace(old, new)
        (folder / name).write_text(text)
    return folder


def test_the_small_sink_passes_its_suite(tmp_path: Path) -> None:
    done = pytest_run(written(tmp_path), "test_shelf.py")
    assert done.returncode == 0, done.stdout
    passed = re.findall(r"^PASSED test_shelf\.py::TestShelf::(\w+)", done.stdout, re.MULTILINE)
    skipped = re.findall(r"^SKIPPED \[(\d)\]", done.stdout, re.MULTILINE)
    assert len(passed) + sum(map(int, skipped)) == len(SUITE)
    assert set(passed) <= set(SUITE) and len(passed) >= len(SUITE) - 4


def test_the_small_sink_fails_it_with_its_mark_outside_the_transaction(tmp_path: Path) -> None:
    """Also from a file that nobody can import by name."""
    insert = "batch.rows())\n"
    folder = written(tmp_path, (insert, f'{insert}            connection.execute("COMMIT")\n'))
    text = (folder / "shelf.py").read_text()
    head, _, tail = text.rpartition('connection.execute("COMMIT")')
    (folder / "shelf.py").write_text(f"{head}pass{tail}")
    place = tmp_path / "checks"
    place.mkdir()
    (folder / "test_shelf.py").rename(place / "test_shelf.py")
    (tmp_path / "lib").mkdir()
    (folder / "shelf.py").rename(tmp_path / "lib" / "shelf.py")
    command = ("--import-mode=importlib", "-o", "pythonpath=lib", "checks/test_shelf.py")
    done = pytest_run(folder, *command, "-k", "killed_before or written_and")
    assert done.returncode == 1, done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "the rows of 1 batches were visible and not all of their marks" in done.stdout


def test_the_audit_is_called_as_it_can_be() -> None:
    (block,) = (block for block in BLOCKS if "assert_audit" in block)
    calls = [node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)]
    for known in (assert_audit, Subject, Wishes):
        found = [call for call in calls if getattr(call.func, "id", "") == known.__name__]
        assert found
        for call in found:
            keywords = {keyword.arg or "": None for keyword in call.keywords}
            inspect.signature(known).bind(*call.args, **keywords)


def test_every_public_name_is_documented() -> None:
    assert all(f"`{name}`" in PAGE.read_text() for name in testing.__all__)
