"""Names of error conditions and codes inside a text, and which explanation each belongs to."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from holdfast.core.explain.explanation import Explanation

FAMILY: Final = "*"
"""At the end of a name: every name that begins so."""

# Bounded and without alternatives that overlap: a megabyte of capitals is passed over once.
_NAME: Final = re.compile(
    r"(?<![A-Za-z0-9_])[A-Z_][A-Z0-9_]{7,120}(?:\.[A-Z][A-Z0-9_]{1,120})?(?![A-Za-z0-9])"
)
_CODE: Final = re.compile(r"(?<![A-Za-z0-9])HF\d{3}(?!\d)")
_BRACKETED: Final = re.compile(r"\[([A-Z][A-Z0-9]{1,60}_[A-Z0-9_.]{2,180})\]")


@dataclass(frozen=True, slots=True)
class Named:
    """A name that an explanation has."""

    name: str
    explanation: Explanation
    precision: int
    """2: the name itself; 1: only what stands before the dot, or a family."""


class NameIndex:
    """Every name of a catalogue."""

    def __init__(self, catalogue: Iterable[Explanation]) -> None:
        """Sort the names of all explanations; a name belongs to one of them only."""
        self._by_name: dict[str, Explanation] = {}
        self._families: dict[str, Explanation] = {}
        for explanation in catalogue:
            for name in explanation.conditions:
                into = self._families if name.endswith(FAMILY) else self._by_name
                key = name.removesuffix(FAMILY)
                if key in into:
                    raise ValueError(f"{name} is explained twice")
                into[key] = explanation

    def find(self, name: str) -> Named | None:
        """The explanation of a name: of itself, of what stands before its dot, of its family."""
        if name in self._by_name:
            return Named(name, self._by_name[name], 2)
        above = name.partition(".")[0]
        if above in self._by_name:
            return Named(above, self._by_name[above], 1)
        fits = [prefix for prefix in self._families if above.startswith(prefix)]
        return Named(above, self._families[max(fits, key=len)], 1) if fits else None

    def below(self, part: str) -> tuple[str, ...]:
        """Names whose part after the dot is this one."""
        return tuple(sorted(n for n in self._by_name if n.rpartition(".")[2] == part and "." in n))

    @property
    def names(self) -> Mapping[str, Explanation]:
        """Every full name."""
        return self._by_name


def names_in(text: str) -> Iterator[tuple[str, int]]:
    """Everything that looks like the name of a condition or one of our codes, and where."""
    for match in _NAME.finditer(text):
        yield match[0], match.start()
    for match in _CODE.finditer(text):
        yield match[0], match.start()


def bracketed_in(text: str) -> Iterator[str]:
    """Names in brackets, as Spark and Delta write them before a message."""
    for match in _BRACKETED.finditer(text):
        yield match[1]
