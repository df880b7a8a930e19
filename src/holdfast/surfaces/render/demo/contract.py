"""The JSON contract of the demo."""

from typing import Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model


class KilledJson(Model):
    """The batch that was killed, and what `show` said of its checkpoint."""

    batch: int
    planned_at_ms: int | None
    shown_at_ms: int
    died: str | None = Field(description="Where in the batch it died, as `show` says it.")
    restart: str = Field(description="What a restart would do, as `show` says it.")
    verdict: Literal["safe", "unknown", "unsafe"] | None = Field(
        default=None, description="What `judge` said of a resume, before the restart."
    )


class ComparisonJson(Model):
    """A table as a multiset against what it should hold, in rows."""

    expected: int
    found: int
    lost: int
    duplicated: int
    changed: int = Field(description="There, with other values; 0 where rows have no key.")
    unexpected: int = Field(description="From nowhere: no row like it, or under its key, is due.")


class DemoResult(Model):
    """The answer of `demo`."""

    folder: str
    job: str = Field(description="The job that was killed.")
    checkpoint: str
    killed: KilledJson | None = Field(description="null where no kill hit a batch.")
    starts: int = Field(description="How often `run` was started: 2, where the first kill hit.")
    batches_after: int = Field(description="Batches of that job after the restart.")
    rows_in: int
    good: int
    quarantined: int
    lost: int = Field(description="In both tables together.")
    duplicated: int
    changed: int = Field(description="Changed and unexpected rows of both tables.")
    readings: ComparisonJson
    gold: ComparisonJson
    proven: bool = Field(
        description="A batch was killed, and every row is there once all the same."
    )
    duration_ms: int
    next_commands: list[str]


class DemoEnvelope(Envelope):
    """holdfast/demo/1."""

    schema_name: Literal["holdfast/demo/1"] = Field(alias="schema")
    result: DemoResult
