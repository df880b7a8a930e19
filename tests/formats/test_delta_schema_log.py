import json
from typing import Any

import pytest
from hypothesis import given

from holdfast.core.formats.delta_schema_log import parse_delta_schema_log
from holdfast.errors import CheckpointError, MalformedError, NewerVersionError

from .spark_writers import KEY, VALUE, mutations


def log_entry(**changes: Any) -> bytes:
    values = {
        "tableId": "6fd5",
        "deltaCommitVersion": 4,
        "dataSchemaJson": json.dumps(KEY),
        "partitionSchemaJson": json.dumps(VALUE),
        "sourceMetadataPath": "file:/checkpoint/sources/0",
        **changes,
    }
    return b"v1\n" + json.dumps(values).encode()


def test_schemas_are_decoded_from_their_strings() -> None:
    entry = parse_delta_schema_log(log_entry(tableConfigurations={"a": "b"}))
    assert (entry.table_id, entry.delta_commit_version) == ("6fd5", 4)
    assert (entry.data_schema, entry.partition_schema) == (KEY, VALUE)
    assert entry.source_metadata_path == "file:/checkpoint/sources/0"
    assert entry.previous_sequence is None


def test_a_merged_change_names_the_one_before() -> None:
    assert parse_delta_schema_log(log_entry(previousMetadataSeqNum=7)).previous_sequence == 7


@pytest.mark.parametrize(
    "changes",
    [
        {"tableId": 1},
        {"deltaCommitVersion": "4"},
        {"dataSchemaJson": KEY},
        {"dataSchemaJson": "[]"},
        {"previousMetadataSeqNum": "7"},
    ],
)
def test_a_false_field_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(MalformedError):
        parse_delta_schema_log(log_entry(**changes))


def test_a_newer_version_is_named() -> None:
    with pytest.raises(NewerVersionError):
        parse_delta_schema_log(b"v2\n{}")


@given(mutations(log_entry()))
def test_damaged_bytes_raise_only_checkpoint_errors(data: bytes) -> None:
    try:
        parse_delta_schema_log(data)
    except CheckpointError:
        pass
