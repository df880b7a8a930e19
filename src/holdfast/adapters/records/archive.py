"""Files of a checkpoint that are put aside: moved into our records, never deleted."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from holdfast.adapters.storage.opening import local_path, open_storage
from holdfast.errors import UnreachableError

ARCHIVE = "archive"


def put_aside(checkpoint: str, names: Sequence[str], operation: str) -> None:
    """Move files of a checkpoint to `_holdfast/<name>/archive/<operation>/`, under their own names.

    Only under the lease. A file that is gone meanwhile is passed over.
    """
    path = local_path(checkpoint)
    try:
        if path is not None:
            _move_local(Path(os.path.realpath(path)), names, operation)
        else:
            _move_remote(open_storage(checkpoint), names, operation)
    except OSError as error:
        raise UnreachableError(
            f"cannot be put aside: {error.strerror or type(error).__name__}",
            subject=f"{checkpoint}/{names[0]}",
            next_action="check the permissions of the checkpoint and of the folder above it",
        ) from error


def _move_local(checkpoint: Path, names: Sequence[str], operation: str) -> None:
    target = checkpoint.parent / "_holdfast" / checkpoint.name / ARCHIVE / operation
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.replace(checkpoint / name, target / name)
        except FileNotFoundError:
            continue


def _move_remote(storage: Any, names: Sequence[str], operation: str) -> None:
    above, _, own = storage._root.rpartition("/")
    for name in names:
        target = f"{above}/_holdfast/{own}/{ARCHIVE}/{operation}/{name}"
        try:
            storage._fs.mv(f"{storage._root}/{name}", target)
        except FileNotFoundError:
            continue
