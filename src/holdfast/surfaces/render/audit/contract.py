"""The JSON contract of an audit."""

from typing import Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model
from holdfast.surfaces.render.demo.contract import ComparisonJson


class OutcomeJson(Model):
    """One crash point, killed for real."""

    point: int = Field(description="Its number in the recorded run.")
    name: str = Field(description="The same in every run of the job, for --points.")
    stage: str = Field(description="K0 to K17; see docs/audit.md.")
    meaning: str
    batch: int = Field(description="-1 before the query has touched its checkpoint.")
    operation: str = Field(description="The file operation or message that did not come to be.")
    fault: Literal[
        "kill", "disk-full", "io-error", "read-only", "power-cut", "pause", "cut", "hang"
    ]
    outcome: Literal["exact", "wrong", "torn", "stuck", "unreadable", "detected", "missed"]
    comparison: ComparisonJson | None = Field(description="null where nothing was compared.")
    examples: list[str] = Field(description="Some of the wrong rows.")
    left: str = Field(description="What the kill left in the checkpoint, as `show` says it.")
    detail: str
    folder: str | None = Field(description="Where all of it is kept; null where it is not.")
    again: str = Field(description="The command that kills at this point again.")


class VersionsJson(Model):
    """What ran; null where it is the program's own."""

    holdfast: str
    python: str | None
    spark: str | None
    java: str | None


class UndisturbedJson(Model):
    """How the undisturbed run differs from the answer that was named."""

    comparison: ComparisonJson
    examples: list[str] = Field(description="Some of the wrong rows.")


class AuditResult(Model):
    """The answer of `audit`."""

    title: str
    folder: str
    verdict: Literal["proven", "convicted", "unknown"]
    reasons: list[str]
    points: int = Field(description="Crash points that the undisturbed run had.")
    messages: int = Field(description="Points that are messages to a server, or its answers.")
    killed: int = Field(description="Points at which the job was really killed.")
    coverage: float = Field(description="Points killed against points recorded.", ge=0, le=1)
    kills: int = Field(description="SIGKILLs in all; some points are killed more than once.")
    starts: int
    batches: int
    rows: int
    left_out: list[str] = Field(description="Columns that hold the time of their batch.")
    seed: int
    duration_ms: int
    undisturbed: UndisturbedJson | None = Field(
        description="Where it is not null the job is wrong without a kill, and none was tried."
    )
    holds_for: str = Field(description="Sink, partitions and Spark that the verdict is about.")
    half_batches_watched: bool = Field(
        description="Whether readers were looked after on the way; else only the end was compared."
    )
    watched: str | None = Field(
        description="Why points were seen and not held; null where they were held."
    )
    ignored: list[str] = Field(description="Columns that --ignore left out.")
    versions: VersionsJson
    report: str | None = Field(description="The HTML page; null where it could not be written.")
    outcomes: list[OutcomeJson]


class AuditEnvelope(Envelope):
    """holdfast/audit/1."""

    schema_name: Literal["holdfast/audit/1"] = Field(alias="schema")
    result: AuditResult
