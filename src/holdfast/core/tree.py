"""What a listing of a folder found, by directory and by column: 250,000 files must fit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Oddity:
    """An entry that is not a plain file and was therefore left alone."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entries:
    """Names directly inside one folder, sorted."""

    folders: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Directory:
    """The plain files directly inside one directory; path is relative to the root, '' is it."""

    path: str
    names: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStat:
    """Size and last change of one file."""

    size_bytes: int
    modified_ms: int
    changed_ms: int | None = None
    """When bytes, name, owner or rights last changed. Nobody can set it, as the time of the last
    write can be; None where the storage keeps no such time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Every plain file below a location, nothing followed out of it."""

    location: str
    directories: Mapping[str, Directory]
    sizes: Mapping[str, int]
    """Bytes of the files directly inside each directory."""
    oddities: tuple[Oddity, ...] = ()
    _children: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def file_count(self) -> int:
        """How many plain files there are below the root."""
        return sum(len(directory.names) for directory in self.directories.values())

    @property
    def size_bytes(self) -> int:
        """Their size in all."""
        return sum(self.sizes.values())

    def names(self, path: str) -> Sequence[str]:
        """Names of the plain files directly inside a directory; empty where there is none."""
        directory = self.directories.get(path)
        return directory.names if directory else ()

    def children(self, path: str) -> tuple[str, ...]:
        """Names of the directories directly inside a directory."""
        return self._children.get(path, ())

    def below(self, path: str) -> Iterator[Directory]:
        """The directory at path and all below it.

        Goes down from folder to folder: a look at every directory of the tree, for each of many
        operators, would not end.
        """
        waiting = [path]
        while waiting:
            here = waiting.pop()
            if here in self.directories:
                yield self.directories[here]
            prefix = f"{here}/" if here else ""
            waiting.extend(prefix + name for name in self.children(here))

    def subtree(self, path: str, location: str) -> "Tree":
        """The same listing, seen from a directory inside it."""
        cut = len(path) + 1 if path else 0
        inside = [Directory(d.path[cut:], d.names) for d in self.below(path)]
        sizes = {d.path[cut:]: self.sizes[d.path] for d in self.below(path)}
        prefix = f"{path}/" if path else ""
        odd = tuple(
            Oddity(o.path[cut:], o.reason) for o in self.oddities if o.path.startswith(prefix)
        )
        return make_tree(location, inside, sizes, odd)


def make_tree(
    location: str,
    directories: Sequence[Directory],
    sizes: Mapping[str, int],
    oddities: Sequence[Oddity] = (),
) -> Tree:
    """Index directories by path, with every parent known to its parent."""
    by_path = {directory.path: directory for directory in directories}
    children: dict[str, dict[str, None]] = {}
    for path in by_path:
        while path:
            parent, _, name = path.rpartition("/")
            siblings = children.setdefault(parent, {})
            if name in siblings:
                break
            siblings[name] = None
            path = parent
    return Tree(
        location=location,
        directories=by_path,
        sizes=sizes,
        oddities=tuple(oddities),
        _children={parent: tuple(names) for parent, names in children.items()},
    )
