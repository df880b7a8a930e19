"""What a state store holds: `_metadata/schema` (v1, v2) and `_stateSchema/...` (v3).

SchemaHelper of Spark is the rule. All three begin with writeUTF("v<N>"):

    v1  key JSON, value JSON, each one string
    v2  the same, each cut in chunks: int count, then the strings
    v3  int count of column families, and for each: name, short key schema id, key JSON,
        short value schema id, value JSON, key encoder JSON, user key JSON (all JSON in chunks)
"""

from dataclasses import dataclass
from typing import Any, Final

from holdfast.core.formats.java_data import JavaDataInput, decode_modified_utf8
from holdfast.core.formats.json_text import Json, decode_object
from holdfast.core.formats.versioned_text import parse_version
from holdfast.core.limits import COLUMN_FAMILIES_MAX, FILE_BYTES_MAX, STRING_CHUNKS_MAX
from holdfast.errors import MalformedError, TooLargeError

DEFAULT_COLUMN_FAMILY: Final = "default"
"""StateStore.DEFAULT_COL_FAMILY_NAME."""

_WHAT: Final = "the state schema"
_NEWEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFamilySchema:
    """One column family: the StructType JSON of its key and value, and how keys are encoded."""

    name: str
    key_schema_id: int
    value_schema_id: int
    key: dict[str, Json]
    value: dict[str, Json]
    key_encoder: dict[str, Json] | None
    user_key: dict[str, Json] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSchema:
    """One schema file."""

    version: int
    column_families: tuple[ColumnFamilySchema, ...]


def parse_state_schema(data: bytes) -> StateSchema:
    """Read a state schema file of any version; bytes after the end are ignored, as by Spark."""
    if not data:
        raise MalformedError(f"{_WHAT} is empty: it was created and never written")
    if len(data) > FILE_BYTES_MAX:
        raise TooLargeError(f"{_WHAT} is larger than {FILE_BYTES_MAX} bytes")
    cursor = JavaDataInput(data, _WHAT)
    version = parse_version(cursor.utf(), _WHAT, _NEWEST)
    families: tuple[ColumnFamilySchema, ...]
    if version == 1:
        families = (_only_family(cursor.utf(), cursor.utf()),)
    elif version == 2:
        families = (_only_family(_chunked(cursor), _chunked(cursor)),)
    else:
        families = _families(cursor)
    return StateSchema(version=version, column_families=families)


def describe_struct(schema_json: dict[str, Json]) -> str:
    """Say a StructType in one line: `window struct<start timestamp, end timestamp>, word string`.

    Type names are those of StructType.json (long, integer), which printSchema shows as well.
    """
    fields = schema_json.get("fields")
    if not isinstance(fields, list):
        raise MalformedError("a struct of the schema has no list of fields")
    return ", ".join(_describe_field(field) for field in fields)


def _only_family(key: str, value: str) -> ColumnFamilySchema:
    return ColumnFamilySchema(
        name=DEFAULT_COLUMN_FAMILY,
        key_schema_id=0,
        value_schema_id=0,
        key=_struct(key, "key"),
        value=_struct(value, "value"),
        key_encoder=None,
        user_key=None,
    )


def _families(cursor: JavaDataInput) -> tuple[ColumnFamilySchema, ...]:
    count = cursor.int32()
    if count < 0:
        raise MalformedError(f"{_WHAT} declares {count} column families")
    if count > COLUMN_FAMILIES_MAX:
        message = f"{_WHAT} declares {count} column families, more than {COLUMN_FAMILIES_MAX}"
        raise TooLargeError(message)
    return tuple(_family(cursor) for _ in range(count))


def _family(cursor: JavaDataInput) -> ColumnFamilySchema:
    name = cursor.utf()
    key_schema_id = cursor.int16()
    key = _struct(_chunked(cursor), f"key of {name!r}")
    value_schema_id = cursor.int16()
    value = _struct(_chunked(cursor), f"value of {name!r}")
    key_encoder = decode_object(_chunked(cursor), f"{_WHAT}: key encoder of {name!r}")
    # Without a user key Spark writes an empty object with blanks inside, `{    }`.
    user_key = decode_object(_chunked(cursor), f"{_WHAT}: user key of {name!r}")
    return ColumnFamilySchema(
        name=name,
        key_schema_id=key_schema_id,
        value_schema_id=value_schema_id,
        key=key,
        value=value,
        key_encoder=key_encoder or None,
        user_key=user_key or None,
    )


def _chunked(cursor: JavaDataInput) -> str:
    count = cursor.int32()
    if count < 0:
        raise MalformedError(f"{_WHAT} declares a string of {count} chunks")
    if count > STRING_CHUNKS_MAX:
        message = f"{_WHAT} declares a string of {count} chunks, more than {STRING_CHUNKS_MAX}"
        raise TooLargeError(message)
    return decode_modified_utf8(b"".join(cursor.utf_bytes() for _ in range(count)), _WHAT)


def _struct(text: str, part: str) -> dict[str, Json]:
    struct = decode_object(text, f"{_WHAT}: {part}")
    # Describing walks every node, so whatever parses here can be shown later.
    describe_struct(struct)
    return struct


def _describe_field(field: Any) -> str:
    if not isinstance(field, dict) or not isinstance(field.get("name"), str):
        raise MalformedError("a struct of the schema has a field without a name")
    return f"{field['name']} {_describe_type(field.get('type'))}"


def _describe_type(data_type: Any) -> str:
    if isinstance(data_type, str):
        return data_type
    if not isinstance(data_type, dict) or not isinstance(data_type.get("type"), str):
        raise MalformedError("a field of the schema has no type")
    match data_type["type"]:
        case "struct":
            return f"struct<{describe_struct(data_type)}>"
        case "array":
            return f"array<{_describe_type(data_type.get('elementType'))}>"
        case "map":
            key = _describe_type(data_type.get("keyType"))
            return f"map<{key}, {_describe_type(data_type.get('valueType'))}>"
        case name:
            return str(name)
