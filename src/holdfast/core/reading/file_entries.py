"""Which entries of a file source's log belong to a batch, and in which file they stand."""

from collections.abc import Sequence

from holdfast.core.formats.compactible_log import COMPACT_SUFFIX, parse_compactible_name
from holdfast.core.formats.file_source_log import FileSourceEntry

ENTRIES_MAX = 1_000
"""Log entries of one batch that are looked up; a batch adds one, a restart after a gap a few."""


def files_holding(names: Sequence[str], first: int, last: int) -> list[str] | None:
    """Names of the log files that hold entries first to last; None where one is missing.

    An entry stands in a file of its own or, once compacted, in the next `.compact`.
    """
    if last - first >= ENTRIES_MAX:
        return None
    present = {parsed: name for name in names if (parsed := parse_compactible_name(name))}
    compacts = sorted(entry for entry, is_compact in present if is_compact)
    chosen: dict[str, None] = {}
    for entry in range(first, last + 1):
        name = present.get((entry, False))
        if name is None:
            compact = next((c for c in compacts if c >= entry), None)
            if compact is None:
                return None
            name = f"{compact}{COMPACT_SUFFIX}"
        chosen[name] = None
    return list(chosen)


def entries_between(
    entries: Sequence[FileSourceEntry], first: int, last: int
) -> tuple[FileSourceEntry, ...]:
    """Those of the entries that were found between two log offsets, both included."""
    return tuple(entry for entry in entries if first <= entry.batch_id <= last)
