"""Which files of a folder are the rows of a table: all of them, or those that Spark's log lists."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from holdfast.core.formats.file_sink_log import parse_file_sink_log
from holdfast.errors import UnreachableError

_LOG = "_spark_metadata"
_COMPACT = ".compact"


def data_files(folder: Path, *, by_log: bool = True) -> list[Path]:
    """Files with rows, sorted; by_log leaves out what the log of Spark's file sink does not list.

    Those were written by batches that failed. Without a log, every file counts.
    """
    try:
        listed = _listed(folder / _LOG) if by_log and (folder / _LOG).is_dir() else None
        every = [path for path in folder.rglob("*") if path.is_file() and _has_rows(path, folder)]
    except OSError as error:
        raise UnreachableError(
            f"the folder cannot be read: {error.strerror}", subject=str(folder)
        ) from error
    return sorted(path for path in every if listed is None or str(path) in listed)


def partition_values(path: Path, folder: Path) -> dict[str, str]:
    """Columns that are folders: sensor=7/part-0.parquet."""
    parts = path.relative_to(folder).parts[:-1]
    pairs = [part.partition("=") for part in parts if "=" in part]
    return {unquote(name): unquote(value) for name, _, value in pairs}


def _has_rows(path: Path, folder: Path) -> bool:
    # InMemoryFileIndex passes over what begins with a dot, or with _ and is no partition's folder.
    parts = path.relative_to(folder).parts
    return not any(p.startswith(".") or (p.startswith("_") and "=" not in p) for p in parts)


def _listed(log: Path) -> set[str]:
    """What the newest compaction and the batches after it list."""
    names = [path.name for path in log.iterdir()]
    plain = {int(name): name for name in names if name.isdigit()}
    compact = {
        int(name.removesuffix(_COMPACT)): name
        for name in names
        if name.endswith(_COMPACT) and name.removesuffix(_COMPACT).isdigit()
    }
    newest = max(compact, default=-1)
    chosen = [compact[newest]] if compact else []
    chosen += [plain[batch] for batch in sorted(plain) if batch > newest]
    found: set[str] = set()
    for name in chosen:
        for entry in parse_file_sink_log((log / name).read_bytes()):
            path = unquote(urlsplit(entry.path).path)
            (found.add if entry.action == "add" else found.discard)(path)
    return found
