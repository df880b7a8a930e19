"""Steps on files: put aside, create, copy, and back."""

from collections.abc import Mapping, Sequence

from holdfast.core.plans.ports import Direction, OpenPlace, Place
from holdfast.core.plans.step import Copy, Create, FileMark, PutAside
from holdfast.errors import StalePlanError

UNDONE = "undone"
"""Where files of ours go when what created them is undone; nothing is removed."""


def carry_files(
    step: PutAside | Create | Copy, direction: Direction, operation: str, open_place: OpenPlace
) -> None:
    """Go from wherever the step is to its end, or to its beginning; read back what came of it."""
    place = open_place(step.place)
    match step:
        case PutAside():
            archive = place.archive(operation)
            here, there = (place, archive) if direction == "do" else (archive, place)
            _move(step.files, here, there)
        case Create():
            if direction == "do":
                place.create(step.name, step.data)
            else:
                _take_away(place, [step.name], operation)
        case Copy():
            if direction == "do":
                open_place(step.source).copy([mark.name for mark in step.files], place)
                _expect(step.files, place)
            else:
                _take_away(place, [mark.name for mark in step.files], operation)


def _move(files: Sequence[FileMark], here: Place, there: Place) -> None:
    names = [mark.name for mark in files]
    at_here, at_there = here.marks(names), there.marks(names)
    for mark in files:
        found = at_here.get(mark.name), at_there.get(mark.name)
        if mark not in found or any(each not in (None, mark) for each in found):
            raise _foreign(mark.name, here, there)
    here.move([name for name in names if name in at_here], there)
    _expect(files, there)


def _take_away(place: Place, names: Sequence[str], operation: str) -> None:
    """Put files that this operation made where nobody reads them; each pass has its own folder."""
    found = place.marks(names)
    if not found:
        return
    for number in range(1, 1_000):
        aside = place.archive(f"{operation}/{UNDONE}-{number:03d}")
        taken: Mapping[str, FileMark] = aside.marks(list(found))
        if all(found[name] == mark for name, mark in taken.items()):
            place.move(list(found), aside)
            return
    raise _foreign(next(iter(found)), place, place)


def _expect(files: Sequence[FileMark], place: Place) -> None:
    arrived = place.marks([mark.name for mark in files])
    for mark in files:
        if arrived.get(mark.name) != mark:
            raise StalePlanError(
                "it does not have the bytes that the plan is about",
                subject=f"{place.location}/{mark.name}",
                next_action="holdfast undo, which puts back what was moved",
            )


def _foreign(name: str, here: Place, there: Place) -> StalePlanError:
    return StalePlanError(
        "this file is neither as it was before nor as it should be after: somebody changed it",
        subject=f"{here.location}/{name}",
        next_action=f"compare it with {there.location}; nothing more was changed",
    )
