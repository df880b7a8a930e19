"""Going back by going forward: synthetic batches that were never run and count as done.

Two batches are added behind the newest, both committed, both with the wanted positions. The next
batch then starts from there under an id that no sink has seen, so no sink passes over it. One is
not enough: at a restart Spark asks sources of the old interface (files, Delta) once more for the
newest committed batch, from the plan before it, and they refuse to go backwards
(MicroBatchExecution.populateStartOffsets; seen on 4.2.0 and 4.3.0). Only for queries without state:
no state of these batches exists.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.errors import MalformedError

SYNTHETIC = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A file to be created, relative to the checkpoint."""

    name: str
    data: bytes


def forward_files(
    newest: int, plan: bytes, commit: bytes, lines: Sequence[str], *, is_committed: bool
) -> tuple[NewFile, ...]:
    """The files that lead from batch `newest` to the wanted positions.

    `plan` is offsets/<newest>, `commit` any commit of this query, `lines` one line a source as the
    plan is to have it. A batch in flight is counted as done: what it read is read again.
    """
    moved = with_positions(plan, lines)
    files = []
    if not is_committed:
        files.append(NewFile(name=f"commits/{newest}", data=commit))
    for batch in range(newest + 1, newest + 1 + SYNTHETIC):
        files.append(NewFile(name=f"offsets/{batch}", data=moved))
        files.append(NewFile(name=f"commits/{batch}", data=commit))
    return tuple(files)


def with_positions(plan: bytes, lines: Sequence[str]) -> bytes:
    """A plan with other positions: version and metadata stay as they are, byte for byte."""
    head = plan.decode("utf-8").split("\n")
    if len(head) - 2 != len(lines):
        raise MalformedError(
            f"the plan has {len(head) - 2} sources, and {len(lines)} positions were given"
        )
    return "\n".join([*head[:2], *lines]).encode()


def position_lines(plan: bytes) -> tuple[str, ...]:
    """The lines of a plan that hold positions, in order, as Spark wrote them."""
    return tuple(plan.decode("utf-8").split("\n")[2:])


def replaced(lines: Sequence[str], positions: Mapping[int, str]) -> tuple[str, ...]:
    """Lines in which some sources have another position; names of a v2 plan stay."""
    result = []
    for place, line in enumerate(lines):
        if place not in positions:
            result.append(line)
            continue
        name, colon, _ = line.partition(":")
        named = bool(colon) and not line.startswith(("{", "[", '"'))
        result.append(f"{name}:{positions[place]}" if named else positions[place])
    return tuple(result)
