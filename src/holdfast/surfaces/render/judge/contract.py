"""The JSON contract of `judge` and `evidence`."""

from typing import Any, Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model


class RuleFindingJson(Model):
    """What one rule found."""

    code: str
    weight: Literal["unsafe", "unknown", "note"]
    message: str
    evidence: str = Field(description="The file, row or query that says so.")
    consequence: str
    next_action: str
    rows: int | None = Field(description="Rows lost, doubled or skipped, where they are counted.")
    rows_unit: str | None


class VerdictJson(Model):
    """The verdict for one goal."""

    goal: Literal["resume", "replay", "backfill", "reset"]
    answer: Literal["safe", "unknown", "unsafe"]
    findings: list[RuleFindingJson] = Field(description="The heaviest first.")


class RestartJson(Model):
    """Which batch a start begins with."""

    kind: Literal["fresh", "next", "rerun", "rerun-then-fail", "refused"]
    batch: int | None


class JudgeJson(Model):
    """What `judge` answers."""

    taken_at_ms: int
    will_happen: str
    restart: RestartJson
    in_flight: int | None
    verdicts: list[VerdictJson]


class JudgeEnvelope(Envelope):
    """holdfast judge --output json."""

    schema_: Literal["holdfast/judge/1"] = Field(alias="schema")
    result: JudgeJson


class EvidenceEnvelope(Envelope):
    """holdfast evidence --output json."""

    schema_: Literal["holdfast/evidence/1"] = Field(alias="schema")
    result: dict[str, Any] = Field(
        description="A fact is {known, origin}, {absent, origin} or {unreadable, code, origin}."
    )
