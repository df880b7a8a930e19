"""Loaded by Python itself at the start of a program under audit, whose PYTHONPATH has this folder.

Wraps the function of foreachBatch: that it was called, and that it has returned, are told by files
in the folder HOLDFAST_STEPS, as our own sinks do (adapters/sinks/step_files.py). Nothing else
changes for the program; a sitecustomize of its own is run, too. Imports nothing of Holdfast, which
the program's Python need not have.
"""

import functools
import importlib.machinery
import importlib.util
import itertools
import os
import sys
import time
from typing import Any

_MODULE = "pyspark.sql.streaming.readwriter"
_WAIT_S = 60.0
_POLL_S = 0.002
_numbers = itertools.count(1)


def _announce(step: str) -> None:
    folder, waits = os.environ["HOLDFAST_STEPS"], os.environ.get("HOLDFAST_STEPS_WAIT")
    file = os.path.join(folder, f"{os.getpid()}-{next(_numbers)}-{step}")
    open(file, "w").close()
    deadline = time.monotonic() + _WAIT_S
    while waits and os.path.exists(file) and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _wrap(module: Any) -> None:
    original = module.DataStreamWriter.foreachBatch

    @functools.wraps(original)
    def foreach_batch(self: Any, func: Any) -> Any:
        @functools.wraps(func)
        def told(*arguments: Any) -> None:
            _announce("called")
            func(*arguments)
            _announce("returned")

        return original(self, told)

    module.DataStreamWriter.foreachBatch = foreach_batch


class _Loader:
    """Loads the module as it would have been, and wraps it.

    Its own loader is left as it is: pyspark.zip of spark-submit has one for all its modules.
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def create_module(self, spec: Any) -> Any:
        return self._own.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self._own.exec_module(module)
        _wrap(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


class _Finder:
    """Finds one module as everybody else does."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
        return spec


def _run_theirs() -> None:
    """The sitecustomize that would have been loaded without us."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [path for path in sys.path if os.path.abspath(path) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if "HOLDFAST_STEPS" in os.environ:
    sys.meta_path.insert(0, _Finder())
_run_theirs()
