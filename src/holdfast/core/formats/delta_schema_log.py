"""Delta's schema tracking log: `_schema_log_<tableId>[_<trackingId>]/<seq>`.

DeltaSourceMetadataTrackingLog and PersistedMetadata of Delta are the rule: `v1`, then one JSON
object whose schemas are JSON inside strings.
"""

from dataclasses import dataclass
from typing import Final

from holdfast.core.formats.json_text import Json, decode_object, integer, text_field
from holdfast.core.formats.versioned_text import split_version

_WHAT: Final = "the schema log of the Delta source"
DELTA_SCHEMA_LOG: Final = "_schema_log_"
_NEWEST: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaSchemaEntry:
    """The schema a Delta source reads with from one table version on.

    `source_metadata_path` is the absolute `<checkpoint>/sources/<n>`, and Delta refuses to
    start elsewhere. `previous_sequence` is None unless two changes were merged.
    """

    table_id: str
    delta_commit_version: int
    data_schema: dict[str, Json]
    partition_schema: dict[str, Json]
    source_metadata_path: str
    previous_sequence: int | None


def parse_delta_schema_log(data: bytes) -> DeltaSchemaEntry:
    """Read one entry of the log."""
    _, lines = split_version(data, _WHAT, _NEWEST)
    values = decode_object("\n".join(lines), _WHAT)
    previous = values.get("previousMetadataSeqNum")
    return DeltaSchemaEntry(
        table_id=text_field(values, "tableId", _WHAT),
        delta_commit_version=integer(values, "deltaCommitVersion", _WHAT),
        data_schema=_schema(values, "dataSchemaJson"),
        partition_schema=_schema(values, "partitionSchemaJson"),
        source_metadata_path=text_field(values, "sourceMetadataPath", _WHAT),
        previous_sequence=(
            None if previous is None else integer(values, "previousMetadataSeqNum", _WHAT)
        ),
    )


def _schema(values: dict[str, Json], key: str) -> dict[str, Json]:
    return decode_object(text_field(values, key, _WHAT), f"{_WHAT}: {key}")
