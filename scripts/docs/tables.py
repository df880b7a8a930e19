"""Tables that are drawn from the code, so that they say what the code does."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from quotes import GOLDEN

from holdfast import errors as error_tree
from holdfast.core.doctor.check import CODES as DOCTOR_CODES
from holdfast.core.finding import CODES
from holdfast.core.microbatch import CRASH_POINTS, STEPS
from holdfast.core.offsets.registry import KINDS
from holdfast.core.pinned_conf import DEFAULTS
from holdfast.testing import SinkConformance

PACKAGE = Path(error_tree.__file__).parent
FIRST_LINE_OF_PROVIDERS = "org.apache.spark.sql.execution.streaming.state."


def steps() -> str:
    """The micro-batch, step by step."""
    rows = [
        (
            str(number),
            f"**{step.key}**",
            step.does,
            f"`{step.leaves}`" if step.leaves else "nothing",
        )
        for number, step in enumerate(STEPS, start=1)
    ]
    return table(("", "step of batch N", "what Spark does", "what it leaves here"), rows)


def pinned() -> str:
    """Settings that a checkpoint pins."""
    rows = [
        (f"`{key}`", f"`{value.removeprefix(FIRST_LINE_OF_PROVIDERS)}`")
        for key, value in DEFAULTS.items()
    ]
    return table(("setting", "default of a new query in Spark 4.3"), rows)


def offset_kinds() -> str:
    """Kinds of source, in the order in which they are asked."""
    rows = []
    for kind in KINDS:
        module = inspect.getmodule(kind.recognises)
        summary = (module.__doc__ or "").partition("\n")[0] if module else ""
        rows.append(
            (
                f"`{kind.name}`",
                summary.partition(": ")[2] or summary,
                ", ".join(kind.label_names) or "one position",
                kind.counts or "nothing",
            )
        )
    return table(("kind", "what is written", "one position for each", "a difference counts"), rows)


def codes() -> str:
    """Every finding."""
    rows = [
        (f"[{code}](#{code.lower()})", severity, text)
        for code, (severity, text) in sorted(CODES.items())
    ]
    return table(("code", "how bad", "what was found"), rows)


def doctor_codes() -> str:
    """Every finding of doctor."""
    rows = [(f"[{code}](#{code.lower()})", text) for code, text in sorted(DOCTOR_CODES.items())]
    return table(("code", "what was found"), rows)


def errors() -> str:
    """Every error."""
    found = {
        value.code: (value.__name__, (value.__doc__ or "").partition("\n")[0])
        # The first class of a code is the one that it belongs to.
        for value in reversed(vars(error_tree).values())
        if isinstance(value, type) and issubclass(value, error_tree.HoldfastError)
    }
    rows = [
        (f"[{code}](#{code.lower()})", f"`{name}`", text)
        for code, (name, text) in sorted(found.items())
        if name != "HoldfastError"
    ]
    return table(("code", "in Python", "what it says"), rows)


def folders() -> str:
    """Packages and the first sentence of each."""
    rows = []
    for path in sorted(PACKAGE.rglob("__init__.py")):
        name = path.parent.relative_to(PACKAGE.parent).as_posix()
        rows.append((f"`src/{name}/`", summary_of(path)))
    return table(("folder", "what it is for"), rows)


def modules(folder: str) -> str:
    """Modules of one folder and the first sentence of each."""
    paths = sorted((PACKAGE / folder).glob("*.py"))
    rows = [(f"`{p.name}`", summary_of(p)) for p in paths if p.name != "__init__.py"]
    return table(("file", "what it is for"), rows)


def summary_of(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def golden_cases() -> str:
    """Which case was made with which version, or why not."""
    cases = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
    versions = sorted({v for made in cases.values() for v in made}, key=numbers)
    reasons: dict[str, int] = {}
    rows = []
    for name in sorted(cases):
        cells = [cell(cases[name].get(version), reasons) for version in versions]
        rows.append((f"`{name}`", *cells))
    notes = "\n".join(f"{number}. {escaped(reason)}" for reason, number in reasons.items())
    legend = f"\n\nWhy a cell has no checkpoint:\n\n{notes}" if notes else ""
    return table(("case", *versions), rows) + legend


def cell(outcome: str | None, reasons: dict[str, int]) -> str:
    if outcome is None:
        return ""
    if outcome == "ok":
        return "ok"
    return f"({reasons.setdefault(outcome, len(reasons) + 1)})"


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(_lines(header, rows))


def _lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(escaped(value) for value in row)} |"


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def crash_points() -> str:
    rows = [f"| {point} | {meaning} |" for point, meaning in CRASH_POINTS.items()]
    return "\n".join(["| point | what has happened, and no more |", "|--|--|", *rows])


def conformance() -> str:
    """The tests of the suite for sinks, in the order in which they are written."""
    rows = [
        (f"`{name}`", (inspect.getdoc(test) or "").replace("\n", " "))
        for kind in SinkConformance.__bases__
        for name, test in vars(kind).items()
        if name.startswith("test_")
    ]
    return table(("test", "what it holds the sink to"), rows)
