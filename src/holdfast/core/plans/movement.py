"""Where sources stand now and where they will stand, position by position."""

from collections.abc import Sequence

from holdfast.core.checkpoint import SourcePosition
from holdfast.core.offsets.kind import advances
from holdfast.core.plans.plan import Movement


def movements(
    now: Sequence[SourcePosition], after: Sequence[SourcePosition]
) -> tuple[Movement, ...]:
    """Pair the positions of two plans; a source that has none in either is left out."""
    wanted = {(each.position, each.name): each.offset for each in after}
    result: list[Movement] = []
    for source in now:
        old, new = source.offset, wanted.get((source.position, source.name))
        if old is None and new is None:
            continue
        kind = (old or new).kind  # type: ignore[union-attr] # one of them is there
        name = source.name or f"{source.position} ({kind.name})"
        for move in advances(kind, new.value if new else None, old.value if old else None):
            result.append(
                Movement(
                    source=name,
                    label=" ".join(move.labels),
                    before=move.end,
                    after=move.start,
                    amount=move.amount,
                    unit=kind.counts,
                )
            )
    return tuple(result)
