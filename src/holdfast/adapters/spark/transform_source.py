"""The text of a transform and of what it uses, to be looked through before it runs.

Only text is read: nothing is imported, called or unpickled for it.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from holdfast.core.limits import SOURCE_CHARACTERS_MAX, SOURCE_MODULES_MAX


def declared_source(transform: str | None) -> Mapping[str, str]:
    """Text of a transform by its declared name, `module:function`, once it has been imported."""
    module, _, name = (transform or "").partition(":")
    function = getattr(sys.modules.get(module), name, None) if module and name else None
    return transform_source(function) if callable(function) else {}


def transform_source(function: Callable[..., Any]) -> Mapping[str, str]:
    """Text by module of everything that a transform reaches, in its own folder and below.

    Statements that it does not reach are left out as empty lines, so that line numbers are those of
    the file. Empty where there is no file, as for a function typed into a shell.
    """
    home = _file_of(getattr(function, "__module__", None))
    if home is None:
        return {}
    reached: dict[str, set[str]] = {function.__module__: {_top_name(function)}}
    texts: dict[str, str] = {}
    waiting = [function.__module__]
    while waiting and len(texts) < SOURCE_MODULES_MAX:
        module = waiting.pop(0)
        text, tree = _parsed(module)
        if tree is None:
            continue
        kept = _reachable(tree, reached[module])
        texts[module] = _only(text, kept)
        for other, name in _imported(module, kept, tree):
            path = _file_of(other)
            if path is None or home.parent not in path.parents:
                continue  # not a part of this project
            names = reached.setdefault(other, set())
            if name not in names:
                names.add(name)
                waiting.append(other)
    return texts


def _top_name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__qualname__", "")).partition(".")[0]


def _file_of(module: str | None) -> Path | None:
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return Path(file).resolve() if isinstance(file, str) and file.endswith(".py") else None


def _parsed(module: str) -> tuple[str, ast.Module | None]:
    path = _file_of(module)
    try:
        text = path.read_text(encoding="utf-8") if path is not None else ""
        if len(text) > SOURCE_CHARACTERS_MAX:
            return "", None
        return text, ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return "", None


def _reachable(tree: ast.Module, names: set[str]) -> list[ast.stmt]:
    """Statements of a module that define these names or what they use; and every import."""
    wanted = set(names)
    kept: dict[int, ast.stmt] = {}
    while True:
        fresh = [
            statement
            for statement in tree.body
            if id(statement) not in kept
            and ("*" in wanted or _is_import(statement) or _defined(statement) & wanted)
        ]
        if not fresh:
            return sorted(kept.values(), key=lambda statement: statement.lineno)
        for statement in fresh:
            kept[id(statement)] = statement
            wanted |= _used(statement)


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _used(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _imported(module: str, kept: list[ast.stmt], tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Modules and names that the kept statements use; `*` stands for a module as a whole."""
    used = {name for s in kept if not _is_import(s) for name in _used(s)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) in used:
                    yield alias.name, "*"
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                if (alias.asname or alias.name) in used:
                    yield source, alias.name
                    yield f"{source}.{alias.name}", "*"


def _only(text: str, kept: list[ast.stmt]) -> str:
    lines = text.split("\n")
    shown = [""] * len(lines)
    for statement in kept:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        last = statement.end_lineno or first
        shown[first - 1 : last] = lines[first - 1 : last]
    return "\n".join(shown)
