"""What every answer of the JSON contract has."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """Programs that read this must ignore fields that they do not know."""

    model_config = ConfigDict(extra="allow")


class FindingJson(Model):
    """One finding."""

    code: str = Field(description="Stable, never reused: HF101 …")
    severity: Literal["info", "warning", "error"]
    message: str
    path: str = Field(description="Relative to the target; '' where it is about all of it.")


class Envelope(Model):
    """What every answer has."""

    target: str
    warnings: list[FindingJson]
