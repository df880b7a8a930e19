"""Cutting a checkpoint back: which files lie beyond a batch, and have to go aside together.

Both logs must end at the same batch, or Spark runs a batch into the sink and dies at its commit
(CONCURRENT_STREAM_LOG_UPDATE). State of later versions must go as well: a provider loads the newest
snapshot that it finds by listing, also one of the time line that was cut off
(HDFSBackedStateStoreProvider.loadMap, RocksDBFileManager.getLatestSnapshotVersion).
"""

from collections.abc import Iterator

from holdfast.core.formats.log_name import batch_id_of, checksum_target
from holdfast.core.formats.state_name import split_state_name
from holdfast.core.reading.survey import Survey

LOGS = ("offsets", "commits")


def log_files_beyond(found: Survey, keep: int) -> tuple[str, ...]:
    """Files of both logs of batches after `keep`, with their checksums; -1 keeps none."""
    return tuple(
        f"{log}/{name}"
        for log in LOGS
        for name in found.tree.names(log)
        if (batch := _batch(name)) is not None and batch > keep
    )


def state_files_beyond(found: Survey, keep: int) -> tuple[str, ...]:
    """Files of state versions after the one that batch `keep` left, and of later operators.

    Version V is the state after batch V-1. Files that versions share (SSTs) stay: nothing that is
    left names them.
    """
    return tuple(_state_files(found, keep + 1))


def _state_files(found: Survey, version: int) -> Iterator[str]:
    for directory in found.tree.below("state"):
        of_operator = directory.path.endswith("/_metadata/v2")
        for name in directory.names:
            plain = _plain(name)
            if of_operator:
                batch = batch_id_of(plain)
                if batch is not None and batch >= version:
                    yield f"{directory.path}/{name}"
                continue
            parts = split_state_name(plain)
            if parts is not None and parts[0] > version:
                yield f"{directory.path}/{name}"


def _batch(name: str) -> int | None:
    return batch_id_of(_plain(name))


def _plain(name: str) -> str:
    """The file that a name is about: itself, or what it is a checksum of, twice over."""
    target = checksum_target(name)
    if target is None:
        return name
    return checksum_target(target) or target
