"""The parts of a checkpoint: which path belongs where, how large each is, how much was checked."""

from dataclasses import dataclass

from holdfast.core.formats.log_name import checksum_target
from holdfast.core.tree import Tree

METADATA = "metadata"
PARTS = (METADATA, "offsets", "commits", "sources", "state", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSize:
    """Files and bytes of one part of the checkpoint."""

    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCheck:
    """How much of a part was held against a checksum or a seal."""

    files: int
    read: int
    verified: int
    failed: int
    sealed: int = 0
    """Of the verified ones, those that agree with a seal."""

    @property
    def status(self) -> str:
        """Verified only when every file agrees with a checksum or a seal; never 'ok' for less."""
        if self.failed:
            return "damaged"
        # What was read and is no file of Spark's is not in `files`, and must not stand in for one.
        whole = self.files and self.read == self.verified >= self.files
        return "verified" if whole else "unverified"


def part_of(path: str) -> str:
    """The part of the checkpoint that a path belongs to."""
    head, slash, _ = path.partition("/")
    if not slash:
        return METADATA if checksum_target(head) == METADATA or head == METADATA else "other"
    return head if head in PARTS else "other"


def part_sizes(tree: Tree) -> dict[str, PartSize]:
    """Files and bytes by part; what lies loose in the root is `metadata` or other."""
    files = dict.fromkeys(PARTS, 0)
    sizes = dict.fromkeys(PARTS, 0)
    for path, directory in tree.directories.items():
        part = part_of(f"{directory.path}/x") if directory.path else None
        if part is None:
            only_metadata = all(part_of(name) == METADATA for name in directory.names)
            part = METADATA if only_metadata else "other"
        files[part] += len(directory.names)
        sizes[part] += tree.sizes[path]
    return {
        part: PartSize(files=files[part], size_bytes=sizes[part]) for part in PARTS if files[part]
    }
