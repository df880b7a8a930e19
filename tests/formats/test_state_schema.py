import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.formats import state_schema
from holdfast.core.formats.state_schema import describe_struct, parse_state_schema
from holdfast.errors import CheckpointError, MalformedError, NewerVersionError, TooLargeError

from .spark_writers import KEY, VALUE, chunked, mutations, write_utf

ENCODER = {"keyStateEncoderType": "PrefixKeyScanStateEncoderSpec", "numColsPrefixKey": 1}


def schema_v2(key: Any = KEY, chunk_size: int = 65_535) -> bytes:
    texts = (json.dumps(struct_json, ensure_ascii=False) for struct_json in (key, VALUE))
    return write_utf("v2") + b"".join(chunked(text, chunk_size) for text in texts)


def family_v3(name: str, user_key: str = "{    }") -> bytes:
    return (
        write_utf(name)
        + struct.pack(">h", 0)
        + chunked(json.dumps(KEY))
        + struct.pack(">h", 3)
        + chunked(json.dumps(VALUE))
        + chunked(json.dumps(ENCODER))
        + chunked(user_key)
    )


def schema_v3() -> bytes:
    families = (family_v3("count"), family_v3("$ttl_list", json.dumps(VALUE)))
    return write_utf("v3") + struct.pack(">i", 2) + b"".join(families)


def test_v1_has_two_plain_strings() -> None:
    data = write_utf("v1") + write_utf(json.dumps(KEY)) + write_utf(json.dumps(VALUE))
    schema = parse_state_schema(data)
    (family,) = schema.column_families
    assert (schema.version, family.name) == (1, "default")
    assert (family.key, family.value, family.key_encoder) == (KEY, VALUE, None)


def test_v2_joins_chunks_even_through_a_pair_of_surrogates() -> None:
    key = {"type": "struct", "fields": [{"name": "a\U0001f600b", "type": "string"}]}
    (family,) = parse_state_schema(schema_v2(key, chunk_size=1)).column_families
    assert family.key == key


def test_v3_has_named_families_with_ids_and_encoders() -> None:
    schema = parse_state_schema(schema_v3())
    first, second = schema.column_families
    assert (schema.version, first.name, second.name) == (3, "count", "$ttl_list")
    assert (first.key_schema_id, first.value_schema_id) == (0, 3)
    assert (first.key, first.value, first.key_encoder) == (KEY, VALUE, ENCODER)
    assert (first.user_key, second.user_key) == (None, VALUE)


def test_a_struct_is_said_in_one_line() -> None:
    assert describe_struct(KEY) == "window struct<start timestamp, end timestamp>, word string"


def test_every_kind_of_type_is_said() -> None:
    kinds = {
        "fields": [
            {"name": "a", "type": {"type": "array", "elementType": "long"}},
            {"name": "m", "type": {"type": "map", "keyType": "string", "valueType": VALUE}},
            {"name": "u", "type": {"type": "udt", "class": "x"}},
        ]
    }
    assert describe_struct(kinds) == "a array<long>, m map<string, struct<count long>>, u udt"


@pytest.mark.parametrize(
    "key",
    [
        {"type": "struct"},
        {"fields": ["a"]},
        {"fields": [{"type": "long"}]},
        {"fields": [{"name": "a"}]},
        {"fields": [{"name": "a", "type": {"type": 1}}]},
        [],
    ],
)
def test_json_that_is_no_struct_is_refused(key: Any) -> None:
    with pytest.raises(MalformedError):
        parse_state_schema(schema_v2(key))


def test_a_newer_version_is_named() -> None:
    with pytest.raises(NewerVersionError, match="v4"):
        parse_state_schema(write_utf("v4"))


def test_an_empty_file_was_never_written() -> None:
    with pytest.raises(MalformedError, match="never written"):
        parse_state_schema(b"")


def test_a_large_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_schema, "FILE_BYTES_MAX", 10)
    with pytest.raises(TooLargeError):
        parse_state_schema(schema_v2())


@pytest.mark.parametrize(
    ("version", "count", "error"),
    [
        ("v2", -1, MalformedError),
        ("v2", 2**31 - 1, TooLargeError),
        ("v3", -1, MalformedError),
        ("v3", 2**31 - 1, TooLargeError),
    ],
)
def test_impossible_counts_are_refused(
    version: str, count: int, error: type[CheckpointError]
) -> None:
    with pytest.raises(error, match=str(count)):
        parse_state_schema(write_utf(version) + struct.pack(">i", count))


@given(st.one_of(mutations(schema_v2()), mutations(schema_v3())))
def test_damaged_bytes_raise_only_checkpoint_errors(data: bytes) -> None:
    try:
        parse_state_schema(data)
    except CheckpointError:
        pass
