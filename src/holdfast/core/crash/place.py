"""Which part of a job's storage a path belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Area = Literal["checkpoint", "output", "records", "steps", "server", "time"]
"""Spark's checkpoint, what the sink writes, Holdfast's own records, steps that a sink announces;
what is said to a server; and time, which is no place."""

BESIDE = ("-journal", "-wal", "-shm")
"""What SQLite puts beside its file, with the file's name before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path inside an area."""

    area: Area
    name: str
    """Relative to the area's root; '' for the root itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the areas of one run lie."""

    roots: Mapping[Area, str]
    """Absolute paths, of folders or of a database's file."""

    def place(self, path: str) -> Place | None:
        """The area of a path, None for what belongs to none; the longest root wins."""
        found = [
            (root, area)
            for area, root in self.roots.items()
            if path == root or path.startswith(f"{root}/") or path[len(root) :] in BESIDE
            if path.startswith(root)
        ]
        if not found:
            return None
        root, area = max(found)
        return Place(area=area, name=path[len(root) :].removeprefix("/"))
