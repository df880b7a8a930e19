"""A function of the user's as a target: `write(rows, token)`, and `has(token)` if it can tell."""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.adapters.sinks.option_values import refuse_unknown, wrong
from holdfast.adapters.sinks.own.chunks import Chunk
from holdfast.adapters.sinks.own.shared_options import SHARED, shared_options
from holdfast.adapters.sinks.own.sink import OwnSink, PassingError
from holdfast.adapters.sinks.own.token import Token
from holdfast.core.running.batch import Batch
from holdfast.core.running.failure import of_text
from holdfast.errors import HoldfastError, RefusedError, UnreachableError, UsageError

_KIND = "python"
_OPTIONS = ("function", "has", "options", "folder", *SHARED)

Function = Callable[..., Any]


class FunctionTarget:
    """Implements own.sink.Target with functions of the user's."""

    def __init__(
        self, name: str, write: Function, has: Function | None, options: Mapping[str, Any]
    ) -> None:
        """Options go to both as keyword arguments."""
        self.location = name
        self._write = write
        self._has = has
        self._options = dict(options)

    def deliver(self, batch: Batch, chunk: Chunk, token: Token) -> None:
        """Call `write` with the rows as mappings; a return is the acknowledgement.

        Where it fails and `has` says that the chunk is there, it is: the answer was lost, or
        another writer was quicker.
        """
        rows = [dict(zip(batch.columns, row, strict=True)) for row in chunk.rows]
        try:
            self._write(rows, token, **self._options)
        except HoldfastError as error:
            if not isinstance(error, UnreachableError):
                raise
            raise PassingError(error.message) from error
        except Exception as error:
            # Code of the user's: whatever it raises is all there is to say.
            if self.has(token):
                return
            said = f"{type(error).__name__}: {error}"
            if isinstance(error, OSError) or of_text(said).passing:
                raise PassingError(said) from error
            raise RefusedError(
                f"chunk {chunk.number} of batch {batch.batch_id} was not taken: {said}",
                subject=self.location,
                next_action="mend the function; errors that can pass are OSError and its kinds",
            ) from error

    def has(self, token: Token) -> bool | None:
        """Ask the user's function."""
        if self._has is None:
            return None
        try:
            return bool(self._has(token, **self._options))
        except HoldfastError:
            raise
        except Exception as error:
            # Without an answer nothing may be sent: it could be there already.
            raise PassingError(f"has(token) failed: {type(error).__name__}: {error}") from error

    def rest(self) -> None:
        """What the function keeps open is its own."""


def open_sink(options: Mapping[str, Any]) -> OwnSink:
    """The entry point `python` of the group `holdfast.sinks`."""
    refuse_unknown(_KIND, options, _OPTIONS)
    given = options.get("function")
    if given is None:
        raise wrong(_KIND, "option 'function' is missing", "add function: module:function")
    folder = options.get("folder") or os.getcwd()
    name, write = _function("function", given, folder)
    asked = options.get("has")
    has = None if asked is None else _function("has", asked, folder)[1]
    passed = options.get("options") or {}
    if not isinstance(passed, Mapping) or not all(isinstance(key, str) for key in passed):
        raise wrong(_KIND, "options must be a mapping", "write options: {name: value}")
    names = ("options", "function", "has")
    shared = shared_options(
        _KIND, options, name=name, can_be_asked=has is not None, in_trials=names
    )
    return OwnSink(shared, FunctionTarget(name, write, has, passed))


def _function(option: str, given: Any, folder: str) -> tuple[str, Function]:
    """A function by `module:function`, or itself where Python code hands it over."""
    if callable(given):
        return f"{given.__module__}:{getattr(given, '__name__', 'function')}", given
    module_name, separator, name = str(given).partition(":")
    if not (isinstance(given, str) and separator and module_name and name):
        raise wrong(_KIND, f"{option} must be module:function", f"write {option}: orders:send")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        function = getattr(importlib.import_module(module_name), name)
    except Exception as error:
        # The module is the user's own: whatever it raises at import is about that code.
        raise UsageError(
            f"python sink: {option} cannot be imported: {type(error).__name__}: {error}",
            subject=given,
            next_action=f"put {module_name}.py with a function {name} into {folder}",
        ) from error
    if not callable(function):
        raise UsageError(
            f"python sink: {option} is {type(function).__name__} and not a function",
            subject=given,
            next_action="name a function",
        )
    checked: Function = function
    return given, checked
