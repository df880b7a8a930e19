"""explain: say what an error means, from its name, its message, a stack trace or a whole log."""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from holdfast.adapters.texts.blocks import blocks_of_file, blocks_of_stdin, names_a_path
from holdfast.adapters.texts.findings_page import findings_page
from holdfast.core.checkpoint import Checkpoint
from holdfast.core.explain.agreement import agreement
from holdfast.core.explain.catalogue.all import CATALOGUE
from holdfast.core.explain.explanation import Advice, Explanation
from holdfast.core.explain.names import NameIndex
from holdfast.core.explain.own_codes import own_explanations
from holdfast.core.explain.recogniser import Match, Recognised, recognise
from holdfast.core.explain.say import Agreement
from holdfast.core.explain.sink import SINKS
from holdfast.core.secret_text import without_password
from holdfast.errors import UnreachableError, UsageError
from holdfast.flows.show import show

Taken = Literal["text", "file", "stdin", "name"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)?")
_PATH = re.compile(r"[^\s\[\]()]*/[^\s\[\]()]*|[^\s\[\]()]+\.(?:log|txt|out|err)")
_NEAR_MAX = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What `explain` answers."""

    taken: Taken
    """What the argument was taken for."""
    target: str
    recognised: Recognised
    agreements: tuple[Agreement | None, ...]
    """For each match what the checkpoint says, None where none was named."""
    checkpoint: Checkpoint | None
    sink: str | None
    """The sink that was named, or that the text speaks of."""
    near: tuple[str, ...]
    """Names that are spelled nearly as the one that nobody knows."""

    @property
    def is_recognised(self) -> bool:
        """Whether anything could be said."""
        return bool(self.recognised.matches or self.recognised.advice)

    @property
    def advice(self) -> tuple[Advice, ...]:
        """Harmful advice: what the text gives, then what people give for the likeliest cause."""
        first = self.recognised.matches[0].explanation.harmful if self.recognised.matches else ()
        return tuple({a.id: a for a in (*self.recognised.advice, *first)}.values())


def explain(argument: str, *, checkpoint: str | None = None, sink: str | None = None) -> Explained:
    """Explain a text, a file, standard input (`-`) or a name; read-only."""
    if sink is not None and sink not in SINKS:
        raise UsageError(
            "there is no such sink", subject=sink, next_action=f"use one of {', '.join(SINKS)}"
        )
    if not argument.strip():
        raise UsageError("there is nothing to explain", next_action="give an error, a file or -")
    catalogue = (*CATALOGUE, *own_explanations(findings_page()))
    taken = what_is(argument)
    recognised = recognise(_blocks(argument, taken), catalogue)
    near: tuple[str, ...] = ()
    if taken in ("name", "text") and not recognised.matches:
        recognised, near = _by_name(argument, recognised, catalogue)
        _refuse_missing_file(argument, recognised)
    found = show(checkpoint).checkpoint if checkpoint is not None else None
    return Explained(
        taken=taken,
        target=without_password(argument) if taken in ("file", "name") else taken,
        recognised=recognised,
        agreements=tuple(_said(match, found) for match in recognised.matches),
        checkpoint=found,
        sink=sink or recognised.sink,
        near=near,
    )


def what_is(argument: str) -> Taken:
    """What an argument is taken for: a file where one exists, a name where it can be one."""
    if argument == "-":
        return "stdin"
    if names_a_path(argument):
        return "file"
    return "name" if _NAME.fullmatch(argument.strip()) else "text"


def _blocks(argument: str, taken: Taken) -> Iterable[str]:
    match taken:
        case "stdin":
            return blocks_of_stdin()
        case "file":
            return blocks_of_file(argument)
        case "text" | "name":
            return (argument,)


def _by_name(
    argument: str, before: Recognised, catalogue: tuple[Explanation, ...]
) -> tuple[Recognised, tuple[str, ...]]:
    """A name in small letters, or only what stands after the dot; else names that are near."""
    name = argument.strip().strip("[]").upper()
    if not _NAME.fullmatch(name):
        return before, ()
    index = NameIndex(catalogue)
    found = recognise(_full_names(name, index), catalogue)
    if found.matches:
        return found, ()
    known = list(index.names)
    near = difflib.get_close_matches(name, known, n=_NEAR_MAX, cutoff=0.75)
    return before, tuple(near)


def _full_names(name: str, index: NameIndex) -> Iterator[str]:
    yield name
    for full in index.below(name):
        yield f"\n{full}"


def looks_like_path(argument: str) -> bool:
    """Whether a text could have been meant as the name of a file."""
    return _PATH.fullmatch(argument.strip()) is not None


def _refuse_missing_file(argument: str, recognised: Recognised) -> None:
    """What can only be a path, and leads nowhere, is no text that nobody recognises."""
    if not recognised.matches and not recognised.advice and looks_like_path(argument):
        raise UnreachableError(
            "there is no such file, and as a text it is not recognised",
            subject=argument,
            next_action="check the path, or give the message itself in quotes",
        )


def _said(match: Match, found: Checkpoint | None) -> Agreement | None:
    if found is None:
        return None
    explanation = match.explanation
    return agreement(explanation.check_of.get(match.by, explanation.check), found)
