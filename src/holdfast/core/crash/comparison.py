"""Two answers as multisets: a row that is there twice is not the row that is there once."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

Row = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is wrong with an answer, in rows."""

    expected: int
    found: int
    lost: int
    """Rows that should be there and are not, under their key."""
    duplicated: int
    """Rows too many under a key that should be there."""
    changed: int
    """Rows that are there with other values."""
    unexpected: int
    """Rows under a key that should not be there at all."""

    @property
    def is_equal(self) -> bool:
        """Whether both answers are the same multiset."""
        return not (self.lost or self.duplicated or self.changed or self.unexpected)

    @property
    def told(self) -> str:
        """What is wrong, in words; '' where nothing is."""
        counts = {
            "lost": self.lost,
            "duplicated": self.duplicated,
            "changed": self.changed,
            "from nowhere": self.unexpected,
        }
        return ", ".join(
            f"{number:,} row{'' if number == 1 else 's'} {what}"
            for what, number in counts.items()
            if number
        )


def whole(row: Row) -> Hashable:
    """The key of rows that have none: the row itself. Nothing can then be changed, only lost."""
    return row


def compare(
    expected: Iterable[Row], found: Iterable[Row], key: Callable[[Row], Hashable] = whole
) -> Comparison:
    """Hold what was found against what was expected, key by key."""
    wanted, there = Counter(expected), Counter(found)
    known = {key(row) for row in wanted}
    missing = _by_key(wanted - there, key)
    extra = _by_key(there - wanted, key)
    changed = missing & extra
    return Comparison(
        expected=wanted.total(),
        found=there.total(),
        lost=(missing - changed).total(),
        duplicated=sum(count for name, count in (extra - changed).items() if name in known),
        changed=changed.total(),
        unexpected=sum(count for name, count in extra.items() if name not in known),
    )


def _by_key(rows: Counter[Row], key: Callable[[Row], Hashable]) -> Counter[Hashable]:
    counted: Counter[Hashable] = Counter()
    for row, count in rows.items():
        counted[key(row)] += count
    return counted
