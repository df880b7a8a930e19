"""The JSON contract of `rehearse`."""

from typing import Any, Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model


class RehearsedBatchJson(Model):
    """One batch that was run on the twin."""

    batch: int | None
    rows_in: int | None
    duration_ms: int | None


class RehearseResult(Model):
    """The answer of `rehearse`."""

    job: str
    folder: str = Field(description="Where twin, shadow and logs are kept.")
    starts: bool
    verdict: Literal["safe", "unknown", "unsafe"] = Field(
        description="What `judge` says of a resume with this code."
    )
    findings: list[dict[str, Any]]
    end: str | None
    cause: str
    code: str
    first_batch: int | None
    batches: list[RehearsedBatchJson]
    columns: list[str]
    rows: int = Field(description="Rows in the shadow of the sink.")
    sample: list[list[str]] = Field(description="At most five of them.")
    untouched: bool
    changed: list[str] = Field(description="Files and sinks of production that moved meanwhile.")
    was_running: bool


class RehearseEnvelope(Envelope):
    """holdfast/rehearse/1."""

    schema_name: Literal["holdfast/rehearse/1"] = Field(alias="schema")
    result: RehearseResult
