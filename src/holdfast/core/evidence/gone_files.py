"""Files beside the logs that something says should be there, and are not."""

from collections.abc import Iterator
from itertools import islice

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Known
from holdfast.core.formats.compactible_log import parse_compactible_name
from holdfast.core.tree import Directory, Tree

GONE_MAX = 100
"""Files that are named; one is enough for a verdict."""

_SCHEMA_LOG = "_schema_log_"
"""Delta keeps the schemas of a tracked source in folders of this name, anywhere inside."""


def gone_files(tree: Tree, checkpoint: Checkpoint) -> tuple[str, ...]:
    """What the metadata of an operator or a checksum left behind names as gone."""
    found = dict.fromkeys(
        (
            *_named_schemas(tree, checkpoint),
            *_bereft_checksums(tree, checkpoint),
        )
    )
    return tuple(islice(found, GONE_MAX))


def _named_schemas(tree: Tree, checkpoint: Checkpoint) -> Iterator[str]:
    """Operator metadata of version 2 names the files of its schemas."""
    for operator in checkpoint.operators:
        if isinstance(operator.metadata, Known):
            for store in operator.metadata.value.stores:
                for location in store.schema_locations:
                    path = f"state/{location.rpartition('/state/')[2]}"
                    folder, _, leaf = path.rpartition("/")
                    if "/state/" in location and leaf not in tree.names(folder):
                        yield path


def _bereft_checksums(tree: Tree, checkpoint: Checkpoint) -> Iterator[str]:
    """Hadoop removes a checksum with its file; one that is left was left by somebody's hand."""
    for directory in _looked_at(tree, checkpoint):
        names = set(directory.names)
        compacted = max(
            (
                entry
                for n in names
                if (p := parse_compactible_name(n))
                for entry, is_it in (p,)
                if is_it
            ),
            default=-1,
        )
        for name in sorted(names):
            whole = name[1:-4]
            if not (name.startswith(".") and name.endswith(".crc")) or whole in names:
                continue
            entry = parse_compactible_name(whole)
            if not whole.startswith(".") and (entry is None or entry[0] > compacted):
                yield f"{directory.path}/{whole}"


def _looked_at(tree: Tree, checkpoint: Checkpoint) -> Iterator[Directory]:
    """Folders whose files no other look would miss; logs and versions of state are counted."""
    yield from tree.below("sources")
    for operator in checkpoint.operators:
        base = f"state/{operator.files.operator_id}"
        yield from tree.below(f"{base}/_metadata/v2")
        yield from tree.below(f"{base}/_stateSchema")
    for folder in tree.children(""):
        if folder not in ("offsets", "commits", "sources", "state"):
            for directory in tree.below(folder):
                if any(step.startswith(_SCHEMA_LOG) for step in directory.path.split("/")):
                    yield directory
