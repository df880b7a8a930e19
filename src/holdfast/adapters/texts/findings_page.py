"""The page that explains our own codes: docs/findings.md, which the wheel brings along."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from holdfast.errors import InternalError

_NAME = "findings.md"


def findings_page() -> str:
    """The text of the page: of the installed package, or of the source tree it is run from."""
    installed: Traversable = files("holdfast") / _NAME
    in_tree = Path(__file__).parents[4] / "docs" / _NAME
    for place in (installed, in_tree):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise InternalError(
        f"{_NAME} is not in this installation",
        next_action="install holdfast again: pip install --force-reinstall holdfast",
    )
