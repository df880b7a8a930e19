"""The JSON contract of `lag`."""

from typing import Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model


class LagPartJson(Model):
    """A partition, or the whole of a source that has none."""

    name: str = Field(description="topic/partition; '' for the whole.")
    stored: int | None = Field(description="The next to be read; null where none is stored.")
    earliest: int | None
    latest: int | None = Field(description="The end: one after the last.")
    readable: bool | None = Field(description="Whether all that is unread is there; null: unknown.")
    lost: int | None = Field(description="How much is gone that was not read.")
    lag: int | None
    lag_records: int | None
    stored_at_ms: int | None = Field(description="When the first unread record was written.")
    behind_ms: int | None
    retention_ms: int | None = Field(description="-1: time removes nothing.")
    left_ms: int | None = Field(description="Until retention may remove what is unread.")
    left_unknown: Literal["nothing-unread", "already-gone", "kept-for-ever", "unknown"] | None = (
        Field(description="Why there is no time left to tell.")
    )


class LagFilesJson(Model):
    """Input files that were looked at."""

    checked: int
    missing: int
    altered: int
    needed: int = Field(description="How many of those a restart will read.")
    missing_names: list[str]
    altered_names: list[str]


class LagSourceJson(Model):
    """One source."""

    position: int
    kind: Literal["kafka", "delta", "files", "iceberg", "rate", "other"]
    where: str
    counts: Literal["records", "versions", "snapshots", "files"] | None
    lag: int | None
    lag_records: int | None
    same: Literal["same", "other", "unknown"]
    identity: str | None
    stored_identity: str | None
    problem: str | None = Field(description="Why it could not be asked.")
    parts: list[LagPartJson]
    files: LagFilesJson
    notes: list[str]


class MirroredJson(Model):
    """What `--mirror-to` wrote."""

    group: str
    partitions: int


class LagResult(Model):
    """The answer of `lag`."""

    job: str
    checkpoint: str
    batch: int | None
    asked_at_ms: int
    sources: list[LagSourceJson]
    mirrored: MirroredJson | None


class LagEnvelope(Envelope):
    """holdfast/lag/1."""

    schema_name: Literal["holdfast/lag/1"] = Field(alias="schema")
    result: LagResult
