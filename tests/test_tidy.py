"""What keeps the tree tidy, so that nobody has to remember it."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "holdfast"
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
CONFTEST_LINES_MAX = 200
FOLDER_ENTRIES_MAX = 30
BANNED_STEMS = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager"}
BANNED_WORDS = re.compile(r"(Manager|Helper|Util|Utils|Common|Misc|Abstract|Exception)$")
CORE_BANNED_CALLS = {"open", "print", "input", "eval", "exec", "compile", "__import__"}
MARKERS = ("FIX" + "ME", "TO" + "DO", "XX" + "X")


def python_files() -> list[Path]:
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in tracked.stdout.split() if (ROOT / name).exists()]


FILES = python_files()
SOURCES = [path for path in FILES if PACKAGE in path.parents]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def test_there_are_files_to_look_at() -> None:
    assert len(SOURCES) > 30


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_file_is_short_and_so_are_its_functions(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    limit = CONFTEST_LINES_MAX if path.name == "conftest.py" else FILE_LINES_MAX
    assert text.count("\n") <= limit
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in functions(ast.parse(text))
        if node.end_lineno is not None and node.end_lineno - node.lineno + 1 > FUNCTION_LINES_MAX
    ]
    assert not long


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_names_say_something(path: Path) -> None:
    assert path.stem not in BANNED_STEMS
    classes = [n.name for n in ast.walk(tree_of(path)) if isinstance(n, ast.ClassDef)]
    assert not [name for name in classes if BANNED_WORDS.search(name)]


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_no_import_inside_a_function(path: Path) -> None:
    inside = [
        f"line {statement.lineno}"
        for function in functions(tree_of(path))
        for statement in ast.walk(function)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    ]
    assert not inside


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_nothing_is_left_for_later(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not [marker for marker in MARKERS if re.search(rf"\b{marker}\b", text)]


def test_every_module_is_imported_by_someone() -> None:
    """A module that nobody imports is dead, unless it is loaded by name or run."""
    imported: set[str] = set()
    by_name: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
                imported.update(f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                by_name.add(node.value)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    doors = [project["scripts"], *project["entry-points"].values()]
    named = {name.partition(":")[0] for door in doors for name in door.values()}
    entry_points = {"holdfast", "holdfast.__main__"} | named
    # Commands are loaded by the name under which main.py lists them.
    commands = {f"holdfast.surfaces.cli.{name}" for name in by_name if name.isidentifier()}
    dead = []
    for path in SOURCES:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if parts[-1] != "__init__" and module not in imported | by_name | entry_points | commands:
            dead.append(module)
    assert not dead


def test_package_init_files_hold_no_code() -> None:
    for path in SOURCES:
        if path.name == "__init__.py":
            statements = tree_of(path).body
            kinds = ast.Expr | ast.Import | ast.ImportFrom | ast.Assign
            assert all(isinstance(node, kinds) for node in statements), path


def test_the_core_calls_nothing_that_touches_the_world() -> None:
    for path in SOURCES:
        if "core" not in path.parts:
            continue
        calls = {
            node.func.id
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not calls & CORE_BANNED_CALLS, path


def test_the_reading_path_never_deserialises_code() -> None:
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(pickle|marshal|shelve)\b|yaml\.(load|unsafe_load)\(", text), path


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/**/*.md")) + sorted(ROOT.glob("*.md")))
def test_markdown_has_one_title_and_points_at_no_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    outside_code = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    titles = [line for line in outside_code.splitlines() if line.startswith("# ")]
    assert len(titles) == 1
    assert not re.search(r"\.(py|scala|go):\d+", outside_code)


def test_folders_stay_small() -> None:
    for folder in {path.parent for path in SOURCES}:
        entries = [p for p in folder.iterdir() if p.name not in ("__init__.py", "__pycache__")]
        assert len(entries) <= FOLDER_ENTRIES_MAX, folder
