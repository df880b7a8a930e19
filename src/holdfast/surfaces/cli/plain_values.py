"""Command-line values that are what they look like: text, choices, and nothing at all.

typer 0.29 converts every value through pydantic, plain text included, and importing pydantic
takes longer than reading a checkpoint. What needs no conversion is therefore let through; all
else, numbers and mistakes among it, goes typer's way.
"""

from collections.abc import Iterable
from enum import Enum
from functools import partial
from typing import Any


def take_plain_values(parameters: Iterable[Any]) -> None:
    """Let text and known choices through as they are; doing it twice is doing it once."""
    for parameter in parameters:
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is not None and "process_value" not in vars(parameter):
            process = partial(_process, parameter, descriptor.annotation, parameter.process_value)
            parameter.process_value = process


def _process(parameter: Any, annotation: Any, typer_way: Any, ctx: Any, value: Any) -> Any:
    if value is None and not parameter.required:
        taken: Any = None
    elif annotation is str and isinstance(value, str):
        taken = value
    elif (member := _member(annotation, value)) is not None:
        taken = member
    else:
        return typer_way(ctx, value)
    return parameter.callback(ctx, parameter, taken) if parameter.callback else taken


def _member(annotation: Any, value: Any) -> Enum | None:
    if not (isinstance(annotation, type) and issubclass(annotation, Enum)):
        return None
    return next((m for m in annotation if value is m or value == m.value), None)
