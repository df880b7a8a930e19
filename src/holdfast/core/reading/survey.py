"""What names alone tell of a checkpoint, and which files are worth reading first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import methodcaller

from holdfast.core.batch_log import BatchLog, read_batch_log
from holdfast.core.formats.delta_schema_log import DELTA_SCHEMA_LOG
from holdfast.core.formats.log_name import (
    checksum_target,
    hadoop_checksum_of,
    is_temporary,
    split_batch_ids,
)
from holdfast.core.parts import METADATA
from holdfast.core.reading.source_traces import telling_files
from holdfast.core.state.layout import OperatorFiles, read_layout
from holdfast.core.tree import Tree

OPERATORS_READ_MAX = 64
"""Operators whose metadata is read; a query has a handful, a hostile folder any number."""

DELTA_SCHEMA_LOGS_READ_MAX = 2
DELTA_SCHEMAS_READ_MAX = 2
"""Entries of Delta's schema log read at first; it grows by one with each change of a schema."""

KNOWN_ENTRIES = frozenset({"metadata", "offsets", "commits", "sources", "state"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A listing, sorted into the parts of a checkpoint; nothing was opened for it."""

    tree: Tree
    offsets: BatchLog
    commits: BatchLog
    operators: tuple[OperatorFiles, ...]

    @property
    def has_metadata(self) -> bool:
        """Whether the file `metadata` is there."""
        return METADATA in self.tree.names("")


def survey(tree: Tree) -> Survey:
    """Sort a listing into the parts of a checkpoint."""
    return Survey(
        tree=tree,
        offsets=read_batch_log(tree, "offsets"),
        commits=read_batch_log(tree, "commits"),
        operators=read_layout(tree),
    )


def essential_names(found: Survey, batch: int | None = None) -> list[str]:
    """The few files that a first look needs, at most about twenty for an ordinary query."""
    names: list[str] = [METADATA] if found.has_metadata else []
    plans = set(found.offsets.ids[-2:])
    commits = set(found.commits.ids[-1:])
    if batch is not None:
        before = found.offsets.before(batch)
        plans |= {batch, *(() if before is None else (before,))} & set(found.offsets.ids)
        commits |= {batch} & set(found.commits.ids)
    names += [found.offsets.path(b) for b in sorted(plans)]
    names += [found.commits.path(b) for b in sorted(commits)]
    for operator in found.operators[:OPERATORS_READ_MAX]:
        names += operator_names(operator)
    names += telling_files(found.tree)
    names += _delta_schema_names(found.tree)
    return names


def operator_names(operator: OperatorFiles) -> list[str]:
    """Files that describe one operator: its newest metadata, and its schema where it matters."""
    names: list[str] = []
    if operator.metadata_v2:
        names.append(operator.metadata_v2[max(operator.metadata_v2)])
    elif operator.metadata_v1:
        names.append(operator.metadata_v1)
    if operator.partitions == (0,):
        # One partition only: rightly so if there is nothing to partition by, which the key says.
        names += operator.schema_files[:1]
    return names


_ends_as_checksum = methodcaller("endswith", ".crc")

Beside = dict[str, frozenset[str]]
"""Checksum files by directory, looked up once: a log can hold 100,000 names."""


def with_checksums(tree: Tree, names: list[str], beside: Beside) -> list[str]:
    """The names and, where they are there, the checksum files beside them."""
    result = list(names)
    for name in names:
        directory, _, leaf = name.rpartition("/")
        if directory not in beside:
            beside[directory] = _checksum_files(tree.names(directory))
        prefix = f"{directory}/" if directory else ""
        of_spark = f"{leaf}.crc"
        for checksum in (hadoop_checksum_of(leaf), of_spark, hadoop_checksum_of(of_spark)):
            if checksum in beside[directory]:
                result.append(prefix + checksum)
    return result


def _checksum_files(names: Sequence[str]) -> frozenset[str]:
    # One search in all names first: on an object store there are none, and a log is long.
    if ".crc" not in "\0".join(names):
        return frozenset()
    return frozenset(filter(_ends_as_checksum, names))


def checkable_names(found: Survey) -> Iterator[str]:
    """Every file that can be checked, the most telling first: logs from the newest down."""
    if found.has_metadata:
        yield METADATA
    newest_first = (reversed(found.offsets.ids), reversed(found.commits.ids))
    logs = (found.offsets, found.commits)
    pending = list(zip(logs, newest_first, strict=True))
    while pending:
        for item in list(pending):
            log, ids = item
            batch = next(ids, None)
            if batch is None:
                pending.remove(item)
            else:
                yield log.path(batch)
    for directory in found.tree.directories.values():
        if directory.path.startswith(("state/", "sources/")) or is_delta_schema_log(directory.path):
            for name in directory.names:
                if not is_leftover(name):
                    yield f"{directory.path}/{name}"


def _delta_schema_names(tree: Tree) -> list[str]:
    """Entries of Delta's schema logs, which name the checkpoint by an absolute path."""
    paths = (path for path in tree.directories if is_delta_schema_log(path))
    return [
        f"{path}/{name}"
        for path in islice(paths, DELTA_SCHEMA_LOGS_READ_MAX)
        for name in _newest(tree.names(path), DELTA_SCHEMAS_READ_MAX)
    ]


def _newest(names: Sequence[str], count: int) -> list[str]:
    ids, _ = split_batch_ids(names)
    return [str(batch) for batch in ids[-count:]]


def is_delta_schema_log(path: str) -> bool:
    """Delta keeps it where schemaTrackingLocation says, anywhere below the checkpoint."""
    return path.rpartition("/")[2].startswith(DELTA_SCHEMA_LOG)


def is_leftover(name: str) -> bool:
    """A checksum or a temporary file: it speaks about another file, or about none."""
    return (name[0] in ".t" and is_temporary(name)) or checksum_target(name) is not None
