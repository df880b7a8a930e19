"""The public names are a promise: they change on purpose or not at all."""

import ast
import types
from pathlib import Path

import holdfast


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
