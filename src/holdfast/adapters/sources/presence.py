"""Whether files are there: a name that a store gives no answer about is not called gone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from holdfast.core.ports import Storage
from holdfast.core.tree import FileStat
from holdfast.errors import HoldfastError, UnreachableError

_ONE_BY_ONE_MAX = 20
"""Files of one folder in a store that are asked for one by one; more are cheaper by a listing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """What became of some names."""

    stats: Mapping[str, FileStat] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    unlooked: frozenset[str] = frozenset()
    """There, or perhaps there, and not to be looked at: a link, no permission, no answer."""


def presence_of(storage: Storage, names: Sequence[str]) -> Presence:
    """Look at files below a folder; names are relative to it."""
    folders: dict[str, set[str]] = {}
    for name in names:
        folder, _, leaf = name.rpartition("/")
        folders.setdefault(folder, set()).add(leaf)
    stats: dict[str, FileStat] = {}
    missing: set[str] = set()
    unlooked: set[str] = set()
    for folder, leaves in folders.items():
        prefix = f"{folder}/" if folder else ""
        found = _in_folder(storage, folder, leaves)
        stats |= {prefix + leaf: stat for leaf, stat in found.stats.items()}
        missing |= {prefix + leaf for leaf in found.missing}
        unlooked |= {prefix + leaf for leaf in found.unlooked}
    return Presence(stats=stats, missing=frozenset(missing), unlooked=frozenset(unlooked))


def _in_folder(storage: Storage, folder: str, leaves: set[str]) -> Presence:
    try:
        inside = storage.at(folder) if folder else storage
        stats: Mapping[str, FileStat] = {}
        if storage.reads_are_cheap or len(leaves) <= _ONE_BY_ONE_MAX:
            stats = inside.stat(sorted(leaves))
            if len(stats) == len(leaves):
                return Presence(stats=stats)
        entries = inside.entries()
        there = {*entries.files, *entries.folders}
        if not stats:
            stats = inside.stat(sorted(leaves & there))
    except UnreachableError as error:
        everything = frozenset(leaves)
        if error.why == "missing":
            return Presence(missing=everything)
        return Presence(unlooked=everything)
    except HoldfastError:
        return Presence(unlooked=frozenset(leaves))
    missing = frozenset(leaves - there)
    return Presence(stats=stats, missing=missing, unlooked=frozenset(leaves - missing - set(stats)))
