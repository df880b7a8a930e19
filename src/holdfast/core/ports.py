"""Small protocols between the core's words and the world. Docstrings are contracts."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from holdfast.core.fact import Content
from holdfast.core.tree import Entries, FileStat, Tree


class Storage(Protocol):
    """A folder, local or remote, seen read-only: there is no method that writes.

    Names are relative to the location, separated by `/`, and never leave it: a name with `..`,
    an absolute one, or one that leads out through a symbolic link is refused as unreadable.
    """

    @property
    def location(self) -> str:
        """The URI of the folder, without credentials."""
        ...

    @property
    def reads_are_cheap(self) -> bool:
        """Whether opening a file costs microseconds (a local disk) or a request."""
        ...

    def walk(self) -> Tree:
        """List every plain file below the location, in no particular order.

        Symbolic links are not followed out of the location, and fifos, sockets and devices are
        never opened: both come back as oddities, and so does a directory that cannot be listed.
        Raises UnreachableError where the location itself cannot be listed.
        """
        ...

    def read(self, names: Sequence[str], limit_bytes: int) -> Mapping[str, Content]:
        """Read files whole, many at once where that is quicker; one entry per name.

        None where there is no such file; an error in place of the bytes where it is larger than
        limit_bytes or could not be read. Never raises for a single file.
        """
        ...

    def stat(self, names: Sequence[str]) -> Mapping[str, FileStat]:
        """Size and time of last change; a name that cannot be looked at is left out."""
        ...

    def entries(self) -> Entries:
        """Names of the folders and files directly inside, without looking deeper.

        Raises UnreachableError where the location cannot be listed or there is nothing at it.
        """
        ...

    def at(self, name: str) -> "Storage":
        """The storage of a folder inside this one."""
        ...
