"""Schemas of keys and values, per operator and store, from the schema files of the state."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.fact import Content, Fact, interpret
from holdfast.core.formats.state_schema import StateSchema, parse_state_schema
from holdfast.core.reading.survey import Survey

SCHEMA_FILES_MAX = 64
"""Schema files read per operator; transformWithState adds one for each evolution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSchemas:
    """The schema files of one operator, by path."""

    operator_id: int
    files: Mapping[str, Fact[StateSchema]]


def schema_names(found: Survey) -> list[str]:
    """Every schema file worth reading."""
    return [
        path for operator in found.operators for path in operator.schema_files[:SCHEMA_FILES_MAX]
    ]


def read_schemas(found: Survey, contents: Mapping[str, Content]) -> tuple[OperatorSchemas, ...]:
    """Decode them."""
    return tuple(
        OperatorSchemas(
            operator_id=operator.operator_id,
            files={
                path: interpret(path, contents.get(path), parse_state_schema)
                for path in operator.schema_files[:SCHEMA_FILES_MAX]
            },
        )
        for operator in found.operators
    )
