"""The pages that explain our own codes, which the wheel brings along."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from holdfast.errors import InternalError

_NAMES = ("findings.md", "rules.md")


def findings_page() -> str:
    """The text of both: of the installed package, or of the source tree it is run from."""
    return "\n".join(_page(name) for name in _NAMES)


def _page(name: str) -> str:
    installed: Traversable = files("holdfast") / name
    in_tree = Path(__file__).parents[4] / "docs" / name
    for place in (installed, in_tree):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise InternalError(
        f"{name} is not in this installation",
        next_action="install holdfast again: pip install --force-reinstall holdfast",
    )
