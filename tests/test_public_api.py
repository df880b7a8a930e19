"""The public names are a promise: they change on purpose or not at all."""

import ast
import types
from pathlib import Path

import holdfast
from holdfast import files, ledgers, testing


def test_public_names_are_sorted_and_complete() -> None:
    for name in holdfast.__all__:
        assert getattr(holdfast, name).__name__ == name
    public = {
        name
        for name, value in vars(holdfast).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert holdfast.__all__ == sorted(holdfast.__all__)
    assert set(holdfast.__all__) == public
    assert len(holdfast.__all__) <= 20


def test_type_checkers_see_the_same_names() -> None:
    stub = ast.parse(Path(holdfast.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = {
        alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == set(holdfast.__all__)


def test_the_kit_for_tests_keeps_the_same_promise() -> None:
    assert testing.__all__ == sorted(testing.__all__)
    for name in testing.__all__:
        assert getattr(testing, name).__name__ == name
    stub = ast.parse(Path(testing.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = {
        alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == set(testing.__all__)


def test_the_readers_of_files_keep_it_too() -> None:
    assert files.__all__ == sorted(files.__all__)
    for name in files.__all__:
        assert getattr(files, name).__name__ == name
    stub = ast.parse(Path(files.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = {
        alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == set(files.__all__)


def test_the_door_to_ledgers_keeps_it_too() -> None:
    assert ledgers.__all__ == sorted(ledgers.__all__)
    for name in ledgers.__all__:
        assert getattr(ledgers, name).__name__ == name
    stub = ast.parse(Path(ledgers.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = {
        alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == set(ledgers.__all__)


def test_the_kit_needs_pytest_only_where_a_test_ends() -> None:
    folder = Path(testing.__file__).parent
    users = {
        path.name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(alias.name == "pytest" for alias in node.names)
    }
    assert users == {"ending.py"}
