"""Kill `apply` and `undo` before every durable call, go on and go back, and look at the bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from scripts.operations.forked import run, run_until
from scripts.operations.worlds import World

from holdfast.core.crash.operation import Operation

DONE, UNHEARD, STALE = 0, 2, 3


@dataclass(kw_only=True)
class Swept:
    """What came of killing one operation at its points."""

    steps: int
    points: int = 0
    """Durable calls of `apply` and of `undo` before which a kill was tried or passed over."""
    kills: int = 0
    continued: int = 0
    """Kills after which the same command came to the planned end; for an undo, to the first."""
    undone: int = 0
    """Kills after which `undo` came back to the first state, or to the planned one for an undo."""
    wrong: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return not self.wrong and self.continued == self.undone == self.kills


def sweep(world: World, every: int = 1, begin: int = 1) -> Swept:
    """Kill at each `every`th point, from number `begin`; all by default."""
    swept = Swept(steps=len(world.plan.steps))
    world.back_to("first")
    code = run(world.apply, world.said)
    assert code == DONE, world.talk()
    planned = world.digests()
    world.keep("planned")
    for point in _points(swept, world, "apply", every, begin):
        _check(swept, f"apply killed at {point}, then apply", _went_on(world, planned))
        world.back_to("killed")
        _check(swept, f"apply killed at {point}, then undo", _went_back(world), undo=True)
    for point in _points(swept, world, "undo", every, begin):
        code = run(world.undo, world.said)
        _check(swept, f"undo killed at {point}, then undo", _is(world, code, world.first))
        code = run([*world.undo, "--again"], world.said)
        said = _is(world, code, planned)
        _check(swept, f"undo killed at {point}, then undo and undo --again", said, undo=True)
    return swept


def _points(swept: Swept, world: World, command: str, every: int, begin: int) -> Iterator[str]:
    """Kill the command at one point after the other, until it ends by itself."""
    for number in count(begin, every):
        world.back_to("first" if command == "apply" else "planned")
        arguments = world.apply if command == "apply" else world.undo
        met = run_until(arguments, world.said, world.base, number)
        if not isinstance(met, Operation):
            assert met == DONE, world.talk()
            swept.points += number - 1 if every == 1 else len(range(begin, number, every))
            return
        swept.kills += 1
        world.keep("killed")
        yield f"{number}, before {met.call} {met.path.removeprefix(str(world.base))}"


def _went_on(world: World, planned: dict[str, str]) -> str | None:
    """None where `apply` again came to the planned state; an end that was there is refused."""
    code = run(world.apply, world.said)
    if code == STALE and "carried out already" in world.talk():
        code = DONE
    return _is(world, code, planned)


def _went_back(world: World) -> str | None:
    """None where all is as it was; an operation that had not begun is not there to be undone."""
    code = run(world.undo, world.said)
    if code == UNHEARD and "no operation" in world.talk():
        code = DONE
    return _is(world, code, world.first)


def _is(world: World, code: int, wanted: dict[str, str]) -> str | None:
    if code != DONE:
        return f"exit code {code}: {world.talk()}"
    if world.is_open():
        return "the operation is still open"
    found = world.digests()
    if found == wanted:
        return None
    changed = sorted(dict(found.items() ^ wanted.items()))
    return f"{len(changed)} files are not as they should be: {', '.join(changed[:5])}"


def _check(swept: Swept, what: str, said: str | None, *, undo: bool = False) -> None:
    if said is not None:
        swept.wrong.append(f"{what}: {said}")
    elif undo:
        swept.undone += 1
    else:
        swept.continued += 1
