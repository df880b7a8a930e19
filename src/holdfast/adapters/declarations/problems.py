"""What is wrong with a declaration: where, what, and what is allowed there."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from holdfast.adapters.declarations.model import MODELS, DeclarationModel, JobModel, ProfileModel
from holdfast.adapters.declarations.yaml_lines import Located, Steps
from holdfast.errors import UsageError

PROBLEMS_SHOWN_MAX = 50
"""More than a screen of problems has one cause."""

_KINDS = {str: "text", bool: "true or false", int: "a number", list: "a list", dict: "a mapping"}
_WANTED = {
    "string_type": "text",
    "dict_type": "a mapping",
    "list_type": "a list",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "int_type": "a whole number",
    "bool_type": "true or false",
}
_NESTED: dict[tuple[str, int], type[BaseModel]] = {
    ("jobs", 3): JobModel,
    ("profiles", 3): ProfileModel,
}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong."""

    line: int
    field: str
    message: str


class Problems:
    """Everything that is wrong with one file, to be said at once."""

    def __init__(self, path: str, located: Located) -> None:
        """Begin with none."""
        self._path = path
        self._located = located
        self._found: set[Problem] = set()

    def add(self, steps: Steps, message: str, line: int | None = None) -> None:
        """Note what is wrong with the value that these steps lead to, or with another line."""
        field = ".".join(str(step) for step in steps)
        self._found.add(Problem(line or self._located.line(steps), field, message))

    def add_invalid(self, errors: Iterable[ErrorDetails]) -> list[Steps]:
        """Note what pydantic found, in our words; give the places."""
        places = []
        for error in errors:
            steps = _steps(error["loc"])
            self.add(steps, _words(error, steps))
            places.append(steps)
        return places

    def raise_any(self) -> None:
        """Raise one UsageError that lists them all by line; nothing where there is none."""
        if not self._found:
            return
        found = sorted(self._found)
        lines = [_line(self._path, problem) for problem in found[:PROBLEMS_SHOWN_MAX]]
        if len(found) > len(lines):
            lines.append(f"{self._path}: and {len(found) - len(lines)} more")
        raise UsageError("\n".join(lines), next_action=f"correct {_printable(self._path)}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'raw'?` where something is near, else nothing."""
    near = difflib.get_close_matches(word[:100], list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def allowed(words: Sequence[str]) -> str:
    """`; allowed are a, b`."""
    return f"; allowed are {', '.join(words)}" if words else ""


def hint(word: str, known: Sequence[str]) -> str:
    """The nearest of the names that there are; all of them where none is near."""
    return did_you_mean(word, known) or allowed(known)


def refuse(path: str, line: int, message: str) -> UsageError:
    """The one problem that keeps a file from being read at all."""
    problem = Problem(line, "", message)
    return UsageError(_line(path, problem), next_action=f"correct {_printable(path)}")


def _line(path: str, problem: Problem) -> str:
    field = f" {problem.field}:" if problem.field else ""
    return _printable(f"{path}:{problem.line}:{field} {problem.message}")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _steps(loc: tuple[str | int, ...]) -> Steps:
    return tuple(step for step in loc if not str(step).startswith("\0") and step != "[key]")


def _words(error: ErrorDetails, steps: Steps) -> str:
    kind, value = error["type"], error["input"]
    context: dict[str, Any] = error.get("ctx", {})
    if kind == "extra_forbidden":
        known = _fields(_model(error["loc"]))
        word = str(steps[-1])
        return f"there is no such field{allowed(known)}{did_you_mean(word, known)}"
    if kind == "missing":
        return "is missing"
    if kind == "literal_error":
        words = _literals(context["expected"])
        if not isinstance(value, str):
            return f"must be text, not {_kind(value)}{allowed(words)}"
        return f"{value!r} is not allowed{allowed(words)}{did_you_mean(value, words)}"
    if kind == "value_error":
        return str(context["error"])
    if kind == "too_short":
        return "must have at least one entry"
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, not {_kind(value)}"
    return error["msg"]


def _literals(expected: str) -> list[str]:
    """What stands between the quotes of "'a', 'b' or 'c'"."""
    return [part.strip(" '") for part in expected.replace(" or ", ", ").split(",")]


def _kind(value: Any) -> str:
    return "nothing" if value is None else _KINDS.get(type(value), "this")


def _model(loc: tuple[str | int, ...]) -> type[BaseModel]:
    tags = [str(step) for step in loc if str(step).startswith("\0")]
    if tags:
        return MODELS[tags[-1]]
    return _NESTED.get((str(loc[0]), len(loc)), DeclarationModel)


def _fields(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
