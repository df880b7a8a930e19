"""Names of state files, which carry their version and, in format 2, the id of the attempt.

Version V is the state after batch V-1. `V.delta` and `V.snapshot` are of the HDFS provider,
`V.zip` and `V.changelog` of RocksDB; `V_<uuid>.zip` and `V_<uuid>.changelog` are state checkpoint
format 2 (Spark 4.0), where commits/N says which id counts.
"""

from functools import lru_cache

from holdfast.core.formats.log_name import batch_id_of

SNAPSHOT_KINDS: frozenset[str] = frozenset({"snapshot", "zip"})
CHANGE_KINDS: frozenset[str] = frozenset({"delta", "changelog"})
VERSIONED_KINDS: frozenset[str] = SNAPSHOT_KINDS | CHANGE_KINDS

_NAMES_REMEMBERED = 4_096


@lru_cache(maxsize=_NAMES_REMEMBERED)
def split_state_name(name: str) -> tuple[int, str | None, str] | None:
    """Give (version, unique id or None, kind) of a state file, None for any other name.

    A checkpoint can hold a million of these, and every partition holds the same names.
    """
    stem, dot, kind = name.rpartition(".")
    if not dot or kind not in VERSIONED_KINDS:
        return None
    number, underscore, unique_id = stem.partition("_")
    version = batch_id_of(number)
    if version is None or (underscore and not unique_id):
        return None
    return version, unique_id or None, kind


def is_schema_name(name: str) -> bool:
    """Say whether a name below `_stateSchema/` is that of a schema file: `<batch>_<uuid>`.

    StateSchemaV3File of Spark 4.0 and newer.
    """
    number, underscore, unique_id = name.partition("_")
    return bool(underscore and unique_id) and batch_id_of(number) is not None
