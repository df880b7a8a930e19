"""What a source left in its private directory tells which kind of source it is.

The offset of a rate source and that of an old file source are both a bare number; the directory
`sources/<n>` tells them apart.
"""

from collections.abc import Mapping
from itertools import islice

from holdfast.core.fact import Content
from holdfast.core.formats.compactible_log import parse_compactible_name
from holdfast.core.formats.initial_offset import parse_kafka_initial_offset, parse_rate_start
from holdfast.core.limits import SOURCES_MAX
from holdfast.core.offsets.kind import SourceTrace
from holdfast.core.tree import Tree
from holdfast.errors import CheckpointError

_FIRST = "0"
_MISSING_MAX = 100


def source_directories(tree: Tree) -> tuple[str, ...]:
    """Names below sources/: a number (plan order) or, with source evolution, a name."""
    return tuple(sorted(tree.children("sources")))[:SOURCES_MAX]


def telling_files(tree: Tree) -> list[str]:
    """Files worth reading to tell sources apart: the single `0` of Kafka and rate."""
    return [
        f"sources/{name}/{_FIRST}"
        for name in source_directories(tree)
        if _FIRST in tree.names(f"sources/{name}") and not _grows(tree, name)
    ]


def traces_of(tree: Tree, name: str, contents: Mapping[str, Content]) -> frozenset[SourceTrace]:
    """Give the traces found below `sources/<name>`."""
    traces: set[SourceTrace] = set()
    folders = set(tree.children(f"sources/{name}"))
    if "offsets" in folders and _FIRST in tree.names(f"sources/{name}/offsets"):
        traces.add("iceberg")
    if folders & {"shard-source", "shard-commit"}:
        traces.add("kinesis")
    if _grows(tree, name):
        traces.add("file-log")
    content = contents.get(f"sources/{name}/{_FIRST}")
    if isinstance(content, bytes):
        traces.update(_trace_of_first(content))
    return frozenset(traces)


def missing_entries(tree: Tree, name: str) -> list[int]:
    """Ids that a file source needs and that are gone: everything after its last compaction.

    CompactibleFileStreamLog.allFiles reads the newest `.compact` and every entry after it.
    """
    parsed = [p for n in tree.names(f"sources/{name}") if (p := parse_compactible_name(n))]
    compacted = [entry for entry, is_compact in parsed if is_compact]
    start = max(compacted) + 1 if compacted else 0
    plain = {entry for entry, is_compact in parsed if not is_compact and entry >= start}
    if not plain:
        return []
    # The ids may lie any distance apart, so no more of them are walked than are to be named.
    return list(islice((e for e in range(start, max(plain)) if e not in plain), _MISSING_MAX))


def _grows(tree: Tree, name: str) -> bool:
    """Only the file source's log goes on past its first entry."""
    return any(
        is_compact or entry > 0
        for file in tree.names(f"sources/{name}")
        if (parsed := parse_compactible_name(file))
        for entry, is_compact in (parsed,)
    )


def _trace_of_first(content: bytes) -> set[SourceTrace]:
    if content.startswith(b'v1\n{"path"') or b'"timestamp":' in content[:4096]:
        return {"file-log"}
    for parse, trace in (
        (parse_rate_start, "start-time"),
        (parse_kafka_initial_offset, "initial-offset"),
    ):
        try:
            parse(content)
        except CheckpointError:
            continue
        return {trace}  # type: ignore[arg-type]
    return set()
