"""`state/<op>/_metadata`: what a stateful operator is (OperatorStateMetadata, since Spark 4.0).

v1 is one file `_metadata/metadata`; v2 (transformWithState, join state format 3 and newer) is a
file per run, `_metadata/v2/<first batch of the run>`, with absolute paths of the schema files.
"""

from dataclasses import dataclass

from holdfast.core.formats.json_text import Json, decode_object, integer, text_field
from holdfast.core.formats.versioned_text import split_version
from holdfast.errors import MalformedError

NEWEST_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreInfo:
    """One state store of an operator, as the operator described it in its first batch."""

    name: str
    partitions: int
    prefix_key_columns: int
    schema_locations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorMetadata:
    """A stateful operator: its number, its physical name, its stores."""

    version: int
    operator_id: int
    name: str
    stores: tuple[StoreInfo, ...]
    properties: str | None


def parse_operator_metadata(data: bytes) -> OperatorMetadata:
    """Read operator metadata, v1 or v2."""
    what = "operator metadata"
    version, lines = split_version(data, what, NEWEST_VERSION)
    body = decode_object("\n".join(lines), what)
    operator = body.get("operatorInfo")
    stores = body.get("stateStoreInfo")
    if not isinstance(operator, dict) or not isinstance(stores, list):
        raise MalformedError(f"{what} lacks 'operatorInfo' or 'stateStoreInfo'")
    properties = body.get("operatorPropertiesJson")
    return OperatorMetadata(
        version=version,
        operator_id=integer(operator, "operatorId", what),
        name=text_field(operator, "operatorName", what),
        stores=tuple(_store(store, what) for store in stores),
        properties=properties if isinstance(properties, str) else None,
    )


def _store(value: Json, what: str) -> StoreInfo:
    if not isinstance(value, dict):
        raise MalformedError(f"{what}: a state store is not an object")
    locations = value.get("stateSchemaFilePaths", [])
    if not isinstance(locations, list) or not all(isinstance(item, str) for item in locations):
        raise MalformedError(f"{what}: 'stateSchemaFilePaths' is not a list of paths")
    return StoreInfo(
        name=text_field(value, "storeName", what),
        partitions=integer(value, "numPartitions", what),
        prefix_key_columns=integer(value, "numColsPrefixKey", what, default=0),
        schema_locations=tuple(locations),
    )
