"""The JSON contract of `plan`, `apply` and `undo`."""

from typing import Any, Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model


class StepJson(Model):
    """One step."""

    number: int
    kind: str
    says: str
    undo: str | None = Field(description="What undoes it; null where nothing does.")
    place: str
    files: list[str] = Field(description="The first hundred; the plan itself names all.")


class MovementJson(Model):
    """One position of one source."""

    source: str
    label: str
    before: str | None
    after: str | None
    amount: int | None
    unit: str | None


class FateJson(Model):
    """What becomes of a sink."""

    sink: str
    says: str
    removed: int | None
    kept: int | None
    duplicated: int | None
    skipped: int | None


class HazardJson(Model):
    """Something unsafe that was accepted by name."""

    code: str
    message: str
    rows: int | None


class PlanJson(Model):
    """What `plan` answers."""

    operation: str
    id: str
    file: str | None
    job: str | None
    query_id: str | None
    made_at_ms: int
    steps: list[StepJson]
    requirements: list[dict[str, Any]]
    movements: list[MovementJson]
    sinks: list[FateJson]
    downstream: list[str]
    untouched: list[str]
    accepted: list[HazardJson]
    notes: list[str]
    files: int
    size_bytes: int
    next_command: str


class CarriedJson(Model):
    """What `apply` and `undo` answer."""

    id: str
    operation: str
    direction: Literal["do", "undo"]
    pass_: int = Field(alias="pass")
    steps: list[int] = Field(description="Those that this call carried out.")
    steps_in_all: int
    continued: bool = Field(description="Whether an earlier call had begun it.")
    next_command: str


class PlanEnvelope(Envelope):
    """holdfast plan --output json."""

    schema_: Literal["holdfast/plan/1"] = Field(alias="schema")
    result: PlanJson


class ApplyEnvelope(Envelope):
    """holdfast apply --output json."""

    schema_: Literal["holdfast/apply/1"] = Field(alias="schema")
    result: CarriedJson


class UndoEnvelope(Envelope):
    """holdfast undo --output json."""

    schema_: Literal["holdfast/undo/1"] = Field(alias="schema")
    result: CarriedJson
