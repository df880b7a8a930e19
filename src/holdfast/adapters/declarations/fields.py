"""The kinds of values that a declaration holds; each check says what is allowed."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_TRANSFORM = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
_UNITS = "milliseconds?|seconds?|minutes?|hours?|days?"
_INTERVAL = re.compile(rf"[0-9]{{1,9}} (?:{_UNITS})")
AVAILABLE_NOW = "available-now"


def _name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise ValueError(
            f"{text!r} is no name; allowed are up to 64 small letters, digits and -, "
            "the first of them no -"
        )
    return text


def _transform(text: str) -> str:
    if not _TRANSFORM.fullmatch(text):
        raise ValueError(
            f"{text!r} is no transform; allowed is module:function, such as sensors:keep_raw"
        )
    return text


def _trigger(text: str) -> str:
    if text == AVAILABLE_NOW or _INTERVAL.fullmatch(text):
        return text
    hint = f"; {AVAILABLE_NOW} takes its place" if text.lower() == "once" else ""
    raise ValueError(
        f"{text!r} is no trigger; allowed are {AVAILABLE_NOW} and an interval of milliseconds, "
        f"seconds, minutes, hours or days, such as 10 seconds{hint}"
    )


def _location(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError(f"{text!r} is no location; allowed are a path and a URL")
    if text.startswith("~"):
        raise ValueError(f"{text!r} begins with ~, which is not filled in; write the whole path")
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _option(value: Any) -> Any:
    """An option as Spark takes it: always text, and booleans in small letters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str):
        raise ValueError("must be text, a number, true or false")
    return value


def _names(value: Any) -> Any:
    """One name may be written without brackets."""
    return [value] if isinstance(value, str) else value


def _some(noun: str) -> AfterValidator:
    def check(value: list[str]) -> list[str]:
        if not value:
            raise ValueError(f"must name at least one {noun}")
        if len(set(value)) != len(value):
            raise ValueError(f"names a {noun} twice")
        return value

    return AfterValidator(check)


Name = Annotated[
    str,
    AfterValidator(_name),
    WithJsonSchema({"type": "string", "pattern": f"^{NAME.pattern}$"}),
]
Transform = Annotated[
    str,
    AfterValidator(_transform),
    WithJsonSchema({"type": "string", "pattern": f"^{_TRANSFORM.pattern}$"}),
]
Trigger = Annotated[
    str,
    AfterValidator(_trigger),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": f"^({AVAILABLE_NOW}|[0-9]+ ({_UNITS}))$",
        }
    ),
]
Location = Annotated[str, AfterValidator(_location)]
Text = Annotated[str, AfterValidator(_filled)]
OptionText = Annotated[
    str, BeforeValidator(_option), WithJsonSchema({"type": ["string", "number", "boolean"]})
]
_ONE_OR_MORE = WithJsonSchema(
    {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
)
Columns = Annotated[list[Text], BeforeValidator(_names), _some("column"), _ONE_OR_MORE]
ProfileNames = Annotated[list[Text], BeforeValidator(_names), _some("profile"), _ONE_OR_MORE]
