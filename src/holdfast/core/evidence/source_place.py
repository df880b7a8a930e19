"""What a source reads from: its kind, and its topic, folder or table."""

import json
from collections.abc import Mapping

from holdfast.core.evidence.around import QuerySource
from holdfast.core.evidence.change import in_list, option
from holdfast.core.evidence.logs import SourceSpan

_KINDS: Mapping[str, str] = {
    "json": "file",
    "csv": "file",
    "parquet": "file",
    "text": "file",
    "orc": "file",
    "avro": "file",
    "xml": "file",
    "binaryfile": "file",
    "filesource": "file",
    "kafka": "kafka",
    "delta": "delta",
    "deltasource": "delta",
    "iceberg": "iceberg",
    "rate": "rate",
    "rate-micro-batch": "rate-micro-batch",
    "aws-kinesis": "kinesis",
    "kinesis": "kinesis",
}
_PLACES: Mapping[str, tuple[str, ...]] = {
    "kafka": ("subscribe", "subscribePattern", "assign"),
    "file": ("path",),
    "delta": ("path", "table"),
    "iceberg": ("path", "table"),
    "kinesis": ("streamName", "kinesis.streamName"),
}


def kind_of_provider(provider: str) -> str | None:
    """Which kind of offsets a provider writes; None for one that we do not know."""
    return _KINDS.get(provider.lower().removeprefix("org.apache.spark.sql."))


def place_of(source: QuerySource) -> str | None:
    """Topic, folder or table of a source; None where its options do not tell."""
    names = _PLACES.get(kind_of_provider(source.provider) or "", ())
    values = (option(source.options, name) for name in names)
    text = next((value for value in values if value), None)
    return _same_path(text) if text else None


def topics_of(source: QuerySource) -> frozenset[str] | None:
    """Topics that a Kafka source names one by one; None where a pattern does, or nothing."""
    named = option(source.options, "subscribe")
    return in_list(named) if named else None


def topics_in(span: SourceSpan) -> frozenset[str] | None:
    """Topics of a stored Kafka offset."""
    if span.kind != "kafka" or span.end is None:
        return None
    try:
        body = json.loads(span.end)
    except ValueError:
        return None
    return frozenset(body) if isinstance(body, dict) else None


def _same_path(text: str) -> str:
    """file:///a, file:/a and /a/ are one."""
    if text.startswith("file:"):
        text = "/" + text.removeprefix("file:").lstrip("/")
    return text.rstrip("/") or text
