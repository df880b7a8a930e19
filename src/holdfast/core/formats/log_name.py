"""Names of files in the logs of a checkpoint: batches, compactions, temporary files, checksums.

HDFSMetadataLog takes every name that parses as a Long for a batch and ignores the rest; object
stores also list directory markers and leftovers, so only plain digits count as a batch here.
"""

import re
from array import array
from collections.abc import Sequence

LONG_MAX = 2**63 - 1

_TEMPORARY = re.compile(
    # CheckpointFileManager since 2.4: `.name.<uuid>[.TID<n>].tmp`;
    # HDFSMetadataLog before: `.<uuid>.tmp`
    r"^\.(?:.+\.)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:\.TID\d+)?\.tmp$"
    # HDFSBackedStateStoreProvider before 2.4: `temp-<signed random>`
    r"|^temp-{1,2}\d+$"
)
_TEMPORARY_OF = re.compile(
    r"^\.(?P<name>.+)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.TID\d+)?\.tmp$"
)


def batch_id_of(name: str) -> int | None:
    """Give the batch id that a file name is, or None."""
    if not (name.isascii() and name.isdigit()):
        return None
    if len(name) > 1 and name[0] == "0":
        return None
    number = int(name) if len(name) <= 19 else LONG_MAX + 1
    return number if number <= LONG_MAX else None


def split_batch_ids(names: Sequence[str]) -> tuple[Sequence[int], list[str]]:
    """Give the batch ids among names, ascending, and the names that are none.

    The same rule as batch_id_of, without a call per name: a log can hold 100,000.
    """
    joined = "".join(names)
    if joined.isascii() and joined.isdigit():
        ids = list(map(int, names)) if max(map(len, names)) <= 18 else []
        if ids and _is_run(ids, len(joined)):
            return range(min(ids), max(ids) + 1), []
    found = [(batch, name) for name in names if (batch := batch_id_of(name)) is not None]
    taken = {name for _, name in found}
    others = [name for name in names if name not in taken]
    ids = sorted(batch for batch, _ in found)
    if ids and ids[-1] - ids[0] + 1 == len(ids):
        return range(ids[0], ids[-1] + 1), others  # no gap: nothing to keep
    return (array("q", ids) if ids else ()), others


def _is_run(ids: list[int], digits: int) -> bool:
    """Say whether ids are first to last without a gap, from names with so many digits in all.

    The names of files differ, so a gap or a leading zero (007) would change one of the two counts.
    """
    first, last = min(ids), max(ids)
    if last - first + 1 != len(ids):
        return False
    wanted, start = 0, first
    while start <= last:
        end = min(last, 10 ** len(str(start)) - 1)
        wanted += (end - start + 1) * len(str(start))
        start = end + 1
    return wanted == digits


def is_temporary(name: str) -> bool:
    """Say whether a name is that of a file still being written, or left behind by a crash."""
    return bool(_TEMPORARY.match(name))


def are_unfinished(names: Sequence[str]) -> bool:
    """Say whether all of these are temporary files or the checksums of such."""
    return all(is_temporary(checksum_target(name) or name) for name in names)


def temporary_target(name: str) -> str | None:
    """Give the name that a temporary file would have been renamed to, if it carries it."""
    match = _TEMPORARY_OF.match(name)
    return match["name"] if match else None


def is_hadoop_checksum(name: str) -> bool:
    """Say whether a name is Hadoop's hidden checksum of a sibling (only written on file://)."""
    return name.startswith(".") and name.endswith(".crc") and len(name) > 5


def hadoop_checksum_of(name: str) -> str:
    """Name of the hidden checksum that Hadoop's local file system keeps for a file."""
    return f".{name}.crc"


def checksum_target(name: str) -> str | None:
    """Give the file that a checksum file, hidden (Hadoop) or not (Spark), speaks about."""
    if not name.endswith(".crc"):
        return None
    return name[1:-4] if is_hadoop_checksum(name) else name[:-4] or None
