"""A stored fingerprint as a query: what it was made of when it last started."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.evidence.around import Query, QuerySource
from holdfast.core.formats.json_text import Json, decode_object
from holdfast.core.running.state_shape import StateShape
from holdfast.errors import MalformedError

_WHAT = "the fingerprint"
_PLACES = ("path", "table", "topic", "url")
"""Options of a sink that say where it writes."""


def parse_query(data: bytes) -> Query:
    """Read what `encode_fingerprint` wrote; raises MalformedError where it is not that."""
    try:
        body = decode_object(data.decode(), _WHAT)
    except UnicodeDecodeError as error:
        raise MalformedError(f"{_WHAT} is no text") from error
    sources = body.get("sources")
    if not isinstance(sources, list):
        raise MalformedError(f"{_WHAT} lacks its sources")
    sink = _texts(body.get("sink"))
    stateful = body.get("stateful")
    return Query(
        origin="the last start under Holdfast",
        sources=tuple(_source(each) for each in sources),
        stateful=tuple(map(str, stateful)) if isinstance(stateful, list) else None,
        output_mode=_text(body, "output_mode"),
        sink_kind=sink.get("kind"),
        sink_place=sink_place(sink),
        transform=_text(body, "transform"),
        trigger=_text(body, "trigger"),
        unpinned=_texts(body.get("unpinned")),
        pinned=_texts(body.get("pinned")),
        spark=_texts(body.get("versions")).get("spark"),
        code_revision=_text(body, "code_revision"),
        shapes=_shapes(body.get("shapes")),
    )


def sink_place(options: Mapping[str, str]) -> str | None:
    """Where a sink writes, from its options without secrets."""
    return " ".join(options[name] for name in _PLACES if options.get(name)) or None


def _source(value: Json) -> QuerySource:
    if not isinstance(value, dict) or not isinstance(value.get("position"), int):
        raise MalformedError(f"{_WHAT}: a source has no position")
    return QuerySource(
        position=int(value["position"]),
        provider=str(value.get("provider", "")),
        options=_texts(value.get("options")),
    )


def _shapes(value: Json) -> tuple[StateShape, ...] | None:
    """None for records of before shapes were kept."""
    if not isinstance(value, list):
        return None
    return tuple(
        StateShape(
            kind=str(each.get("kind", "")),
            keys=_list(each.get("keys")),
            values=_list(each.get("values")),
            made_by=_list(each.get("made_by")),
        )
        for each in value
        if isinstance(each, dict)
    )


def _list(value: Json) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _text(body: Mapping[str, Any], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None


def _texts(value: Json) -> dict[str, str]:
    return {key: str(each) for key, each in value.items()} if isinstance(value, dict) else {}
