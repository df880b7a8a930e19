"""Read holdfast.yaml: text, shape, meaning; whatever is wrong is said at once."""

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from holdfast.adapters.declarations.environment import Variables
from holdfast.adapters.declarations.model import DeclarationModel
from holdfast.adapters.declarations.problems import Problems, allowed, hint, refuse
from holdfast.adapters.declarations.resolving import Resolver
from holdfast.adapters.declarations.yaml_lines import (
    TEXT_CHARACTERS_MAX,
    Located,
    Steps,
    YamlError,
    read_yaml,
)
from holdfast.core.job import Declaration
from holdfast.errors import UnreachableError, UsageError

FILE_NAME = "holdfast.yaml"
UNNAMED_PROFILE = "default"
"""What a declaration without profiles runs as."""


def load_declaration(
    path: str | Path, *, profile: str | None = None, environ: Mapping[str, str]
) -> Declaration:
    """Read a declaration, or the one in a folder; raises UsageError with every problem in it."""
    if "\0" in str(path):
        raise UsageError("a path cannot hold a NUL", next_action=f"name a {FILE_NAME}")
    file = Path(path)
    file = file / FILE_NAME if file.is_dir() else file
    return declaration_of(
        _read(file), path=str(file), folder=_folder(file), profile=profile, environ=environ
    )


def declaration_of(
    text: str, *, path: str, folder: str, profile: str | None, environ: Mapping[str, str]
) -> Declaration:
    """The declaration that a text holds; `path` is only what problems are said of."""
    try:
        located = read_yaml(text)
    except YamlError as error:
        raise refuse(path, error.line, error.message) from None
    if not isinstance(located.value, dict):
        raise refuse(path, located.line(()), "must be a mapping with checkpoints, jobs, profiles")
    problems = Problems(path, located)
    for line, steps in located.duplicates:
        problems.add(steps, "is written twice", line)
    model, broken = _shape(located, problems)
    if model is None:
        problems.raise_any()
        raise AssertionError("a shape that is refused has a problem")
    chosen = _choose(model, profile, problems, broken)
    if chosen is None:
        problems.raise_any()
        raise AssertionError("a profile that is refused has a problem")
    variables = Variables(environ)
    resolver = Resolver(
        model, chosen, folder=folder, variables=variables, problems=problems, broken=broken
    )
    base = resolver.base()
    spark = resolver.spark()
    jobs = resolver.jobs(base)
    problems.raise_any()
    assert base is not None
    return Declaration(
        path=path,
        folder=folder,
        profile=chosen,
        base=base,
        jobs=jobs,
        spark=spark,
        secrets=frozenset(variables.secrets),
    )


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            data = stream.read(TEXT_CHARACTERS_MAX * 4 + 1)
    except FileNotFoundError:
        raise UsageError(
            "there is no declaration at this path",
            subject=str(file),
            next_action="name one with --file, or write one with `holdfast init`",
        ) from None
    except OSError as error:
        raise UnreachableError(
            f"the declaration cannot be read: {error.strerror}",
            subject=str(file),
            next_action="check the path and its permissions",
        ) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refuse(str(file), line, "is no text in UTF-8") from None


def _folder(file: Path) -> str:
    return os.path.normpath(os.path.join(os.getcwd(), file.parent))


def _shape(
    located: Located, problems: Problems
) -> tuple[DeclarationModel | None, frozenset[Steps]]:
    """The model, without the entries that are wrong: the rest is still looked at."""
    try:
        return DeclarationModel.model_validate(located.value), frozenset()
    except ValidationError as error:
        places = problems.add_invalid(error.errors(include_url=False))
    broken = frozenset(_entry(steps) for steps in places)
    value = copy.deepcopy(located.value)
    for steps in broken:
        _take_out(value, steps)
    try:
        return DeclarationModel.model_validate(value), broken
    except ValidationError:
        return None, broken


def _entry(steps: Steps) -> Steps:
    """The smallest thing that can be taken out: a job, a source, a sink, or a field."""
    if steps[:1] == ("jobs",):
        return steps[:2]
    if steps[:1] == ("profiles",):
        return steps[:4] if steps[2:3] in (("sources",), ("sinks",)) else steps[:3]
    return steps[:1]


def _take_out(value: Any, steps: Steps) -> None:
    for step in steps[:-1]:
        value = value.get(step) if isinstance(value, dict) else None
    if isinstance(value, dict) and steps:
        value.pop(steps[-1], None)


def _choose(
    model: DeclarationModel, asked: str | None, problems: Problems, broken: frozenset[Steps]
) -> str | None:
    """The profile that was asked for, that the file names, or the only one."""
    names = list(model.profiles)
    name = asked if asked is not None else model.profile
    if name is None and len(names) > 1:
        problems.add(("profiles",), f"say which one to use, with profile:{allowed(names)}")
        return None
    if name is None:
        return names[0] if names else UNNAMED_PROFILE
    if name in names:
        _check_bases(model, name, problems)
        return name
    if not any(bad[:1] == ("profiles",) and len(bad) < 3 for bad in broken):
        at: Steps = ("profile",) if asked is None else ("profiles",)
        told = f"no profile is called {name!r}" if names else "there are no profiles"
        problems.add(at, f"{told}{hint(name, names)}")
    return None


def _check_bases(model: DeclarationModel, chosen: str, problems: Problems) -> None:
    """Two profiles read different sources, so they can have no checkpoint in common."""
    bases = {n: p.checkpoints or model.checkpoints for n, p in model.profiles.items()}
    for name, base in bases.items():
        if name != chosen and base is not None and _same(base, bases[chosen]):
            problems.add(
                ("profiles", chosen),
                f"has the same checkpoints as profile {name!r}, and a checkpoint fits one source "
                "only; give each its own `checkpoints`",
            )


def _same(base: str, other: str | None) -> bool:
    return other is not None and base.rstrip("/") == other.rstrip("/")
