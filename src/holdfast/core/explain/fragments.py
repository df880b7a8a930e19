"""Words of messages inside a text, found by plain search: no pattern can run away."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from holdfast.core.explain.explanation import GAP

GAP_CHARACTERS_MAX: Final = 400
"""How far apart two parts of a fragment may stand: a path of 300 and some words."""

TRIES_MAX: Final = 1_000
"""Places of a first part that are tried in one block before it is given up."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fragment was found in a block, and how often at least."""

    first: int
    last: int
    count: int


class Fragment:
    """One fragment, taken apart once."""

    __slots__ = ("parts", "rarest_first", "text")

    def __init__(self, text: str) -> None:
        """Split at the gaps."""
        self.text = text
        self.parts = tuple(part.strip(" ") for part in text.split(GAP))
        # A long part is rarer, and searching for it is faster: most blocks are done with it.
        self.rarest_first = tuple(sorted(self.parts, key=len, reverse=True))

    def find(self, lowered: str) -> Place | None:
        """The first and the last place in a block of lower-case text."""
        if any(part not in lowered for part in self.rarest_first):
            return None
        places = list(self._places(lowered))
        return Place(places[0], places[-1], len(places)) if places else None

    def _places(self, lowered: str) -> Iterator[int]:
        head, *others = self.parts
        at = lowered.find(head)
        for _ in range(TRIES_MAX):
            if at < 0:
                return
            if _begins_a_word(lowered, at) and _follow(lowered, at + len(head), others):
                yield at
            at = lowered.find(head, at + 1)


def _begins_a_word(text: str, at: int) -> bool:
    """`rm` is not found in `confirm`."""
    return at == 0 or not (text[at].isalnum() and text[at - 1].isalnum())


def _follow(text: str, at: int, parts: list[str]) -> bool:
    for part in parts:
        found = text.find(part, at, at + GAP_CHARACTERS_MAX + len(part))
        if found < 0:
            return False
        at = found + len(part)
    return True
