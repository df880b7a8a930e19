"""Find what a text speaks of: names of conditions first, then words of messages.

A text comes in blocks of whole lines, so that a log of any length is read once and never held.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from holdfast.core.explain.advice import ADVICE
from holdfast.core.explain.depth import depth_at
from holdfast.core.explain.explanation import Advice, Explanation, Strength
from holdfast.core.explain.fragments import Fragment
from holdfast.core.explain.names import NameIndex, bracketed_in, names_in
from holdfast.core.explain.sink import SIGNS, Sink, sink_of

UNKNOWN_NAMES_MAX: Final = 10
_BY_FRAGMENT: Final = 0
_ORDER: Final[dict[Strength, int]] = {"error": 2, "sign": 1, "wrapper": 0}
_APOSTROPHES: Final = str.maketrans("’‘“”\u00a0", "''\"\" ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One explanation that fits, and by which words."""

    explanation: Explanation
    by: str
    """The name, or the words as the catalogue has them; never more of the text than that."""
    precision: int
    depth: int
    count: int
    first_line: int
    last_line: int

    @property
    def rank(self) -> tuple[int, bool, int, int, int]:
        """Higher is nearer to the cause: errors, the innermost, the most specific, the latest.

        Among signs, which end nothing, those come first that mean rows lost or doubled.
        """
        strength = self.explanation.strength
        return (
            _ORDER[strength],
            strength == "sign" and self.explanation.retry == "makes it worse",
            self.depth,
            self.precision,
            self.last_line,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a text speaks of."""

    matches: tuple[Match, ...]
    advice: tuple[Advice, ...]
    """Harmful advice that the text itself gives."""
    sink: Sink | None
    unknown_names: tuple[str, ...]
    """Names in brackets that nobody explains here."""
    lines: int


class Recogniser:
    """Takes blocks of text, and says at the end what was in them."""

    def __init__(self, catalogue: Iterable[Explanation]) -> None:
        """Prepare the search; doing it once serves any number of blocks."""
        explanations = tuple(catalogue)
        self._index = NameIndex(explanations)
        self._fragments = [(Fragment(f), e) for e in explanations for f in e.fragments]
        self._advice = [(Fragment(f), a) for a in ADVICE for f in a.fragments]
        self._found: dict[str, Match] = {}
        self._advised: dict[str, Advice] = {}
        self._signs: set[str] = set()
        self._unknown: dict[str, None] = {}
        self._lines = 0

    def feed(self, block: str) -> None:
        """Look at some whole lines."""
        block = block.translate(_APOSTROPHES)
        # A fragment may ask for the end of a line, which the last one need not have.
        lowered = f"{block.lower()}\n"
        self._take_names(block, lowered)
        for fragment, explanation in self._fragments:
            place = fragment.find(lowered)
            if place is not None:
                self._add(
                    lowered,
                    explanation,
                    by=fragment.text.strip(),
                    precision=_BY_FRAGMENT,
                    at=(place.first, place.last),
                    count=place.count,
                )
        for fragment, advice in self._advice:
            if advice.id not in self._advised and fragment.find(lowered) is not None:
                self._advised[advice.id] = advice
        self._signs.update(sign for sign, _ in SIGNS if sign in lowered)
        self._lines += block.count("\n") + (not block.endswith("\n") and bool(block))

    def result(self) -> Recognised:
        """Everything that was found, the likeliest cause first."""
        return Recognised(
            matches=tuple(sorted(self._found.values(), key=lambda m: m.rank, reverse=True)),
            advice=tuple(self._advised.values()),
            sink=sink_of(self._signs),
            unknown_names=tuple(self._unknown),
            lines=self._lines,
        )

    def _take_names(self, block: str, lowered: str) -> None:
        places: dict[str, list[int]] = {}
        for name, at in names_in(block):
            seen = places.setdefault(name, [at, at, 0])
            seen[1], seen[2] = at, seen[2] + 1
        for name, (first, last, count) in places.items():
            named = self._index.find(name)
            if named is not None:
                self._add(
                    lowered,
                    named.explanation,
                    by=named.name if named.precision == 1 else name,
                    precision=named.precision + ("." in name),
                    at=(first, last),
                    count=count,
                )
        for name in bracketed_in(block):
            if len(self._unknown) < UNKNOWN_NAMES_MAX and self._index.find(name) is None:
                self._unknown[name] = None

    def _add(
        self,
        lowered: str,
        explanation: Explanation,
        *,
        by: str,
        precision: int,
        at: tuple[int, int],
        count: int,
    ) -> None:
        first, last = at
        new = Match(
            explanation=explanation,
            by=by,
            precision=precision,
            depth=depth_at(lowered, last),
            count=count,
            first_line=self._lines + lowered.count("\n", 0, first) + 1,
            last_line=self._lines + lowered.count("\n", 0, last) + 1,
        )
        old = self._found.get(explanation.id)
        self._found[explanation.id] = new if old is None else _joined(old, new)


def _joined(old: Match, new: Match) -> Match:
    """One match of the same explanation: by the better words; a message has both name and words."""
    better = new if (new.depth, new.precision) > (old.depth, old.precision) else old
    return replace(
        better,
        count=max(old.count, new.count)
        if old.last_line >= new.first_line
        else old.count + new.count,
        first_line=min(old.first_line, new.first_line),
        last_line=max(old.last_line, new.last_line),
    )


def recognise(blocks: Iterable[str], catalogue: Iterable[Explanation]) -> Recognised:
    """Read a text to its end and say what it speaks of."""
    explanations = tuple(catalogue)
    reader = Recogniser(explanations)
    only: str | None = None
    for number, block in enumerate(blocks):
        only = block if number == 0 else None
        reader.feed(block)
    result = reader.result()
    if only is None or any(m.explanation.strength == "error" for m in result.matches):
        return result
    # A message that a terminal or a mail broke into lines is put together again.
    again = Recogniser(explanations)
    again.feed(" ".join(only.split()))
    joined = again.result()
    return (
        replace(joined, lines=result.lines) if len(joined.matches) > len(result.matches) else result
    )
