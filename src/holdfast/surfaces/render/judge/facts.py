"""`evidence` for a person: every fact on a line, with its origin or why there is none."""

from collections.abc import Iterator
from typing import Any

from holdfast.surfaces.render.page import Page

_LISTED_MAX = 20
"""Items of one list; the JSON has all."""


def print_facts(evidence: dict[str, Any]) -> None:
    """Print them all."""
    page = Page()
    page.say()
    lines = list(_lines("", evidence))
    width = max(len(name) for name, _, _ in lines) + 2
    for name, value, origin in lines:
        page.pieces([(name.ljust(width), "cyan"), (value, ""), (f"   {origin}", "dim")])


def _lines(name: str, value: Any, origin: str = "") -> Iterator[tuple[str, str, str]]:
    if isinstance(value, dict) and "origin" in value and len(value) <= 3:
        yield from _fact(name, value)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _lines(f"{name}.{key}" if name else key, each, origin)
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        for number, each in enumerate(value[:_LISTED_MAX]):
            yield from _lines(f"{name}[{number}]", each, origin)
    elif isinstance(value, list):
        more = f" … and {len(value) - _LISTED_MAX:,} more" if len(value) > _LISTED_MAX else ""
        yield name, (", ".join(map(str, value[:_LISTED_MAX])) or "none") + more, origin
    else:
        yield name, "none" if value is None else str(value), origin


def _fact(name: str, fact: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    if "known" in fact:
        yield from _lines(name, fact["known"], fact["origin"])
    elif "unreadable" in fact:
        yield name, f"unreadable: {fact['unreadable']}", fact["origin"]
    else:
        yield name, "absent", fact["origin"]
