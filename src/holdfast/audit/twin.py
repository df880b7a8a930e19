"""A twin of a checkpoint: every file of it, copied, while whoever writes it may go on.

Spark never changes a file that it has written: it adds files, and purges old ones. So the files of
one listing that are all still there after the copy are a state in which the checkpoint has been.
"""

from collections.abc import Mapping
from pathlib import Path

from holdfast.adapters.places.opening import open_place
from holdfast.core.formats.log_name import is_temporary
from holdfast.core.plans.step import FileMark
from holdfast.core.ports import Storage
from holdfast.errors import RefusedError

_TRIES = 5


def file_marks(storage: Storage) -> Mapping[str, FileMark]:
    """Every file as it is now, by size and digest; files that are being written are left out."""
    names = [
        f"{directory.path}/{name}" if directory.path else name
        for directory in storage.walk().below("")
        for name in directory.names
        if not is_temporary(name)
    ]
    return open_place(storage.location).marks(names)


def copy_twin(storage: Storage, folder: Path, name: str) -> Path:
    """Copy a checkpoint below a folder; raises RefusedError where it never held still."""
    source = open_place(storage.location)
    for number in range(1, _TRIES + 1):
        twin = folder / str(number) / name
        target = open_place(str(twin))
        wanted = file_marks(storage)
        try:
            source.copy(list(wanted), target)
        except FileNotFoundError:
            continue  # purged meanwhile
        if source.marks(list(wanted)) == wanted == target.marks(list(wanted)):
            return twin
    raise RefusedError(
        "the checkpoint changed faster than it could be copied",
        subject=storage.location,
        next_action="try again while its query is idle or stopped",
    )
