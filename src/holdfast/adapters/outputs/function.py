"""Rows that a function of the user's returns: any output, read any way, or a batch query."""

import importlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.errors import UnreachableError, UsageError

_ONE_AT_A_TIME = threading.Lock()
"""Trials run in threads, and nobody promised that the function may."""


class FunctionOutput:
    """Implements audit.room.Output."""

    def __init__(self, name: str, function: Callable[..., Any], work: Path | None) -> None:
        """Take the function, and the folder that it is called with where it takes one."""
        self._name = name
        self._function = function
        self._work = work
        self.takes_work = _takes_work(name, function)

    def read(self) -> Table:
        """Every row that the function returns now."""
        arguments = [self._work] if self.takes_work else []
        # Standard output is for the answer: what the function prints is talk.
        with _ONE_AT_A_TIME, redirect_stdout(sys.stderr):
            try:
                return _table(self._function(*arguments))
            except (Exception, SystemExit) as error:
                # Code of the user's: whatever it raises is all there is to say.
                raise UnreachableError(
                    f"the function failed: {type(error).__name__}: {error}",
                    subject=self._name,
                    next_action="call it by hand; it must return an iterable of mappings",
                ) from error


def open_function(spec: str, work: Path | None) -> FunctionOutput:
    """Import `module:function` from the working folder; raises UsageError where it is not there."""
    module_name, _, name = spec.partition(":")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        function = getattr(importlib.import_module(module_name), name)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"the function cannot be imported: {type(error).__name__}: {error}",
            subject=spec,
            next_action=f"put {module_name.replace('.', '/')}.py with a function {name} into "
            f"{folder}; other outputs are spelled kind:where, see --help",
        ) from error
    if not callable(function):
        raise UsageError(f"this is {type(function).__name__} and not a function", subject=spec)
    return FunctionOutput(spec, function, work)


def _takes_work(name: str, function: Callable[..., Any]) -> bool:
    """Whether it wants the work folder: one argument that it needs, or one of that name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return False  # builtins do not say
    named = [
        each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    needed = [each for each in named if each.default is each.empty]
    if len(needed) > 1 or any(each.kind is each.KEYWORD_ONLY for each in needed):
        raise UsageError(
            f"the function needs arguments: {', '.join(each.name for each in needed)}",
            subject=name,
            next_action="let it take none, or the work folder",
        )
    return bool(needed) or any(each.name == "work" for each in named[:1])


def _table(found: Any) -> Table:
    """Rows with names, or with the numbers of their places where they have none."""
    rows = [_named(row) for row in found]
    if not rows:
        return EMPTY
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return table_of(columns, ([row.get(name) for name in columns] for row in rows))


def _named(row: Any) -> Mapping[str, Any]:
    # Rows of Spark and named tuples are tuples that know their columns.
    as_mapping = getattr(row, "asDict", None) or getattr(row, "_asdict", None)
    if as_mapping is not None:
        row = as_mapping()
    if isinstance(row, Mapping):
        return {str(name): value for name, value in row.items()}
    if isinstance(row, Sequence) and not isinstance(row, str | bytes | bytearray):
        return {str(place): value for place, value in enumerate(row, 1)}
    raise TypeError(f"a row is {type(row).__name__}, and neither a mapping nor a sequence")
