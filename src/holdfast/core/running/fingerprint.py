"""What a query was made of when it started, written down so that a later change can be judged."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from holdfast.core.running.state_shape import StateShape

UNPINNED: Final = (
    "spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition",
    "spark.sql.streaming.sessionWindow.stateFormatVersion",
    "spark.sql.streaming.transformWithState.stateSchemaVersion",
    "spark.sql.session.timeZone",
    "spark.sql.caseSensitive",
    "spark.sql.ansi.enabled",
    "spark.sql.streaming.statefulOperator.allowMultiple",
    "spark.sql.streaming.noDataMicroBatches.enabled",
    "spark.sql.streaming.stateStore.checkpointFormatVersion",
)
"""Settings that state depends on and that no checkpoint pins (OffsetSeqMetadata.relevantSQLConfs
of Spark 4.3 leaves them out)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePrint:
    """One source, in the order in which the checkpoint counts them."""

    position: int
    provider: str
    """As the plan names it, such as kafka, json or delta."""
    options: Mapping[str, Any]
    """By Spark's own names, secrets removed; empty where the plan does not tell them."""
    identity: str | None = None
    """Topics with their ids, for Kafka, whose offsets carry none; None where it is not known."""
    identity_problem: str = ""
    """Why it is not known; empty where it is, and where the offsets tell it themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """A query at its start. Secrets are removed before it is made."""

    job: str
    epoch: int
    query_id: str
    sources: tuple[SourcePrint, ...]
    stateful: tuple[str, ...]
    """Stateful operators of the plan, with the columns they go by."""
    output_mode: str | None
    trigger: str | None
    transform: str | None
    sink: Mapping[str, Any]
    pinned: Mapping[str, str]
    """What the session would pin in a new checkpoint; an old one keeps its own."""
    unpinned: Mapping[str, str]
    versions: Mapping[str, str]
    """Spark, Python, Holdfast, and the jars of connectors."""
    code_revision: str | None
    shapes: tuple[StateShape, ...] = ()
    """What each stateful operator keeps, in the order of `stateful` without watermarks."""


def encode_fingerprint(fingerprint: Fingerprint) -> bytes:
    """As it is stored."""
    return json.dumps({"format": 1, **asdict(fingerprint)}, indent=1).encode() + b"\n"


def decode_sources(data: bytes) -> tuple[SourcePrint, ...] | None:
    """The sources of a fingerprint; None where it is none. Older ones have no identities."""
    try:
        value: Any = json.loads(data)
        return tuple(_source(each) for each in value["sources"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _source(value: Mapping[str, Any]) -> SourcePrint:
    identity = value.get("identity")
    options = value.get("options")
    return SourcePrint(
        position=int(value["position"]),
        provider=str(value["provider"]),
        options=options if isinstance(options, Mapping) else {},
        identity=identity if isinstance(identity, str) and identity else None,
        identity_problem=str(value.get("identity_problem", "")),
    )
