"""Rows of marks for a width: in two columns where they fit, and never over their labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

_GAP = 4
_AFTER_LABEL = 2
_ROOM_MIN = 8
"""Marks on a line; where fewer fit, there is one column, or the label has a line of its own."""
_INDENT = " " * 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A piece of a line: the label, padded, and the marks after it."""

    label: str
    marks: tuple[str, ...]
    after: int = 0
    """Blanks behind it, up to the next column."""

    @property
    def width(self) -> int:
        """Characters, without the blanks behind it."""
        return len(self.label) + max(0, 2 * len(self.marks) - 1)


Line = tuple[Cell, ...]
_NOTHING = Cell(label="", marks=())


def laid_out(rows: Sequence[tuple[str, Sequence[str]]], width: int) -> tuple[Line, ...]:
    """Lines of one or two cells; a row that is too long goes on below its own marks."""
    label = max((len(name) for name, _ in rows), default=0) + _AFTER_LABEL
    half = (width - _GAP) // 2
    if len(rows) > 1 and _room(half - label) >= _ROOM_MIN:
        return _side_by_side([_block(row, label, _room(half - label)) for row in rows])
    if _room(width - label) >= _ROOM_MIN:
        blocks = [_block(row, label, _room(width - label)) for row in rows]
    else:
        blocks = [_stacked(row, max(1, _room(width - len(_INDENT)))) for row in rows]
    return tuple((cell,) for block in blocks for cell in block)


def _room(width: int) -> int:
    """Marks with a blank between them."""
    return (width + 1) // 2


def _chunks(marks: Sequence[str], room: int) -> list[tuple[str, ...]]:
    return [tuple(marks[start : start + room]) for start in range(0, len(marks), room)]


def _block(row: tuple[str, Sequence[str]], label: int, room: int) -> list[Cell]:
    name, marks = row
    return [
        Cell(label=f"{'' if number else name:<{label}}", marks=some)
        for number, some in enumerate(_chunks(marks, room))
    ]


def _stacked(row: tuple[str, Sequence[str]], room: int) -> list[Cell]:
    name, marks = row
    return [
        Cell(label=name, marks=()),
        *(Cell(label=_INDENT, marks=some) for some in _chunks(marks, room)),
    ]


def _side_by_side(blocks: list[list[Cell]]) -> tuple[Line, ...]:
    """Down the left column, then down the right one, with about as many lines in each."""
    height = (sum(map(len, blocks)) + 1) // 2
    left: list[Cell] = []
    while blocks and len(left) < height:
        left += blocks.pop(0)
    right = [cell for block in blocks for cell in block]
    second = max(cell.width for cell in left) + _GAP
    return tuple(
        (_padded(one, second), other) for one, other in zip_longest(left, right, fillvalue=_NOTHING)
    )


def _padded(cell: Cell, width: int) -> Cell:
    return Cell(label=cell.label, marks=cell.marks, after=width - cell.width)
