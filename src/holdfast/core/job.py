"""A job is a declared query: source, transform, sink, and a checkpoint that is its own for ever."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

OutputMode = Literal["append", "update", "complete"]
TriggerKind = Literal["processing-time", "available-now", "planned-batch"]
"""planned-batch: the one batch that is planned and not committed, and no other; for backfills."""

FILE_FORMATS: Final = ("json", "csv", "parquet", "text")
"""Formats of the file source."""

UNDECLARED: Final = "undeclared"
"""Source and sink of a query that existing code built: Spark knows them, we do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpec:
    """What a job reads; options by Spark's own names."""

    format: str
    """json, csv, parquet, text, rate, rate-micro-batch, kafka or delta."""
    path: str | None
    """Folder of a file or Delta source, None for the others."""
    schema: str | None
    """DDL such as 'id long, at timestamp', where the format needs one."""
    options: Mapping[str, str]
    job: str | None
    """The job whose output this is, where the declaration says `job:` in place of a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkSpec:
    """What a job writes to; kind names an entry point of the group `holdfast.sinks`."""

    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerSpec:
    """When a batch begins."""

    kind: TriggerKind
    interval: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One declared query."""

    name: str
    source: SourceSpec
    transform: str | None
    """module:function, DataFrame in, DataFrame out; None passes rows on as they are."""
    sink: SinkSpec
    trigger: TriggerSpec
    output_mode: OutputMode
    checkpoint: str
    """Location, fixed: `<base>/<name>` unless given by hand for a job that exists already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A whole holdfast.yaml, one profile chosen, in the order of the jobs' dependencies."""

    path: str
    folder: str
    """Where transforms are imported from and relative paths begin."""
    profile: str
    base: str
    jobs: tuple[Job, ...]
    spark: Mapping[str, str]
    """Settings of the Spark session."""
    secrets: frozenset[str]
    """Values that came from ${env:…}: they never reach an output."""
