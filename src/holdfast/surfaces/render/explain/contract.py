"""The JSON contract of `explain`."""

from typing import Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model


class ConsequenceJson(Model):
    """What following an advice does."""

    sink: str | None = Field(description="null where the sink makes no difference.")
    text: str


class AdviceJson(Model):
    """Advice that is common and harmful."""

    id: str
    advice: str
    consequences: list[ConsequenceJson] = Field(description="For the sink, where it is known.")
    instead: str


class CheckpointSaysJson(Model):
    """What the checkpoint says to an explanation."""

    status: Literal["agrees", "disagrees", "cannot tell"]
    text: str
    findings: list[str]


class ExplanationJson(Model):
    """One thing that the text speaks of."""

    id: str = Field(description="Stable.")
    strength: Literal["error", "sign", "wrapper"]
    title: str
    found_by: str = Field(description="The name, or the words of the catalogue that were found.")
    meaning: str = Field(description="What this very name says; '' where it was found by words.")
    count: int = Field(description="How often at least.")
    first_line: int
    last_line: int
    cause: str
    look_at: list[str]
    retry: Literal["helps", "may help", "does not help", "makes it worse"]
    retry_why: str
    next_commands: list[str]
    harmful_advice: list[AdviceJson]
    checkpoint_says: CheckpointSaysJson | None = Field(description="null without --checkpoint.")


class ExplainResult(Model):
    """The answer of `explain`."""

    taken: Literal["text", "file", "stdin", "name"]
    recognised: bool
    lines: int
    sink: str | None
    checkpoint: str | None
    explanations: list[ExplanationJson] = Field(description="The likeliest cause first.")
    advice_in_text: list[AdviceJson] = Field(description="Harmful advice that the text gives.")
    unknown_names: list[str] = Field(description="Names in brackets that nobody explains here.")
    near_names: list[str]
    would_help: list[str] = Field(description="Empty where something was recognised.")


class ExplainEnvelope(Envelope):
    """holdfast/explain/1."""

    schema_name: Literal["holdfast/explain/1"] = Field(alias="schema")
    result: ExplainResult
