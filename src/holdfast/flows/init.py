"""init: write a small project that runs."""

import difflib
import shlex
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from holdfast.adapters.surroundings.programs import holdfast_command, python_command
from holdfast.errors import UnreachableError, UsageError

TEMPLATES: dict[str, tuple[str, str]] = {
    "sensors": (
        "Sensor readings: text files -> Parquet -> Parquet -> SQLite, nothing else needed.",
        "{python} make_data.py && {holdfast} run --once",
    ),
    "kafka-delta": (
        "Orders: a Kafka topic -> Delta -> Delta.",
        'export KAFKA_SERVERS=localhost:9092 LAKE="$PWD/lake" && {holdfast} doctor'
        " && {holdfast} run --once",
    ),
}
"""Template to what it is and what to type next, with the names of programs left open."""

SUFFIX = ".template"
_IN_THE_WAY_SHOWN_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiated:
    """A project that was written."""

    folder: str
    template: str
    files: tuple[str, ...]
    next_command: str


def init(folder: str, *, template: str = "sensors") -> Initiated:
    """Write a template into a folder that is empty or not there; never overwrites anything."""
    contents = template_files(template)
    target = Path(folder)
    try:
        _check_empty(target)
        target.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            # Exclusive: what appeared since we looked is not overwritten either.
            with (target / name).open("x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
    except FileExistsError as error:
        raise UsageError(
            "something is in the way", subject=str(error.filename), next_action="name a new folder"
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreachableError(
            f"cannot be written: {reason}", subject=folder, next_action="name another folder"
        ) from error
    go = "" if folder == "." else f"cd {shlex.quote(folder)} && "
    then = TEMPLATES[template][1].format(python=python_command(), holdfast=holdfast_command())
    return Initiated(
        folder=str(target),
        template=template,
        files=tuple(contents),
        next_command=f"{go}{then}",
    )


def template_files(template: str) -> dict[str, str]:
    """The files of a template by name, in the order of their names."""
    if template not in TEMPLATES:
        near = difflib.get_close_matches(template, TEMPLATES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(TEMPLATES)}"
        raise UsageError("there is no such template", subject=template, next_action=hint)
    root: Traversable = files("holdfast.templates") / template
    found = sorted(entry.name for entry in root.iterdir() if entry.name.endswith(SUFFIX))
    return {name.removesuffix(SUFFIX): (root / name).read_text(encoding="utf-8") for name in found}


def _check_empty(target: Path) -> None:
    if target.is_dir():
        there = sorted(entry.name for entry in target.iterdir())
    else:
        there = [target.name] if target.exists() or target.is_symlink() else []
    if there:
        shown = ", ".join(there[:_IN_THE_WAY_SHOWN_MAX])
        more = len(there) - _IN_THE_WAY_SHOWN_MAX
        raise UsageError(
            f"the folder is not empty: {shown}{f' and {more} more' if more > 0 else ''}",
            subject=str(target),
            next_action="name a new folder: holdfast init FOLDER",
        )
