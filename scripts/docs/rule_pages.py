"""The pages of the rules: the docstring of each file, which is its page."""

import importlib
import inspect
from pathlib import Path

from holdfast.core.rules.registry import all_rules

PACKAGE = "holdfast.core.rules"


def rules() -> str:
    """A table of all rules, then a section for each."""
    pages = _pages()
    lines = ["| code | what is looked for |", "|---|---|"]
    lines += [f"| [{rule.code}](#{rule.code.lower()}) | {rule.title} |" for rule in all_rules()]
    for rule in all_rules():
        head, _, body = pages[rule.code].partition("\n")
        title = head.partition(": ")[2].removesuffix(".")
        goals = ", ".join(sorted(rule.goals))
        lines += ["", f"### {rule.code}", "", f"**{title[:1].upper()}{title[1:]}.**", ""]
        lines += [_paragraphs(body.strip()), "", f"Bears on: {goals}."]
    return "\n".join(lines) + "\n"


def _pages() -> dict[str, str]:
    folder = Path(inspect.getfile(importlib.import_module(PACKAGE))).parent
    found = {}
    for path in sorted(folder.glob("*/*.py")):
        if path.stem != "__init__":
            module = importlib.import_module(f"{PACKAGE}.{path.parent.name}.{path.stem}")
            found[module.RULE.code] = inspect.cleandoc(module.__doc__ or "")
    return found


def _paragraphs(text: str) -> str:
    """Each of the three last lines by itself, with its word in bold."""
    for word in ("Means:", "Verdict:", "Do:"):
        text = text.replace(f"\n{word}", f"\n\n**{word}**")
    return text
