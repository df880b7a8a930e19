"""Protocols of operations: a folder that may be changed, and what carries out one step."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

from holdfast.core.plans.step import FileMark

Direction = Literal["do", "undo"]


class Place(Protocol):
    """A folder whose files may be moved, copied and created; only under the lease.

    Nothing is ever overwritten and nothing removed. What a method has done is durable when it
    returns.
    """

    @property
    def location(self) -> str:
        """The URI of the folder, without credentials."""
        ...

    def marks(self, names: Sequence[str]) -> Mapping[str, FileMark]:
        """Files as they are now; those that are not there are left out."""
        ...

    def create(self, name: str, data: bytes) -> None:
        """Create a file whole; raises RefusedError where the name is taken by other bytes."""
        ...

    def move(self, names: Sequence[str], to: "Place") -> None:
        """Move files to another place of the same store, under their own names.

        A move that was interrupted may have left a file at both: with the same bytes, the one here
        goes. Raises RefusedError where other bytes lie there.
        """
        ...

    def copy(self, names: Sequence[str], to: "Place") -> None:
        """Copy files to any other place; raises RefusedError where other bytes lie there."""
        ...

    def archive(self, operation: str) -> "Place":
        """Where this operation puts files of this place aside: beside it, in our records."""
        ...


OpenPlace = Callable[[str], Place]
"""From a location to its place; the folder need not exist yet."""
