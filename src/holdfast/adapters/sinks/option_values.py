"""Values of a sink's options as a declaration gives them, and what to say of wrong ones."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.errors import UsageError


def wrong(kind: str, message: str, next_action: str) -> UsageError:
    """The error for an option that cannot be right."""
    return UsageError(f"{kind} sink: {message}", subject="sink", next_action=next_action)


def refuse_unknown(kind: str, options: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raises UsageError for the first option that this kind of sink does not have."""
    for name in options:
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
            raise wrong(kind, f"unknown option {str(name)!r}", hint)


def require_text(kind: str, values: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raises UsageError where one of these is there and no text."""
    for name in names:
        if not isinstance(values.get(name, ""), str):
            raise wrong(kind, f"{name} must be text", f"put the value of {name} in quotes")


def column_names(kind: str, name: str, value: Any) -> tuple[str, ...]:
    """One text is one column, whatever characters it has: names may hold commas."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise wrong(kind, f"{name} must be a column name or a list of them", f"write {name}: [id]")


def true_or_false(kind: str, name: str, value: Any) -> bool:
    """A boolean, or its text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise wrong(kind, f"{name} must be true or false", f"write {name}: true")
