"""Write a page to where a person asked for it."""

import os
from pathlib import Path

from holdfast.errors import UnreachableError, UsageError


def refuse_bad_place(file: str) -> None:
    """Raise UsageError for a place that no page can be written to, before the work is done."""
    path = Path(file).absolute()
    above = next(folder for folder in path.parents if folder.exists())
    if path.is_dir() or not file or file.endswith(os.sep):
        problem = "a page is a file, and this is a folder"
    elif not above.is_dir() or not os.access(above, os.W_OK):
        problem = "no page can be written here"
    else:
        return
    raise UsageError(problem, subject=file, next_action="name another file")


def write_page(path: Path, text: str) -> None:
    """Write it, with the folders that are missing; raises UnreachableError where it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UnreachableError(
            f"the page cannot be written: {error.strerror}", subject=str(path)
        ) from error
