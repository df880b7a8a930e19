"""HTML that cannot be broken by what it shows: text is escaped unless it was made here."""

from collections.abc import Iterable
from html import escape

from holdfast.surfaces.render.words import plain

_VOID = frozenset({"br", "hr", "link", "meta", "wbr"})


class Markup(str):
    """HTML already; any other text is somebody's data."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str) -> Markup:
    """An element; `class_` stands for class, `aria_label` for aria-label."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"'
        for key, value in attributes.items()
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{group(children)}</{name}>")


def group(children: Iterable[str]) -> Markup:
    """Several after one another."""
    return Markup(
        "".join(each if isinstance(each, Markup) else _escaped(each) for each in children)
    )


def _escaped(text: str) -> str:
    return escape(plain(text), quote=True)
