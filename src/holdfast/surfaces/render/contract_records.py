"""The JSON contract of what is said from Holdfast's own records: `status` and `history`."""

from typing import Literal

from pydantic import Field

from holdfast.surfaces.render.contract_envelope import Envelope, Model

RunStatusJson = Literal[
    "running",
    "drained",
    "stopped",
    "failed",
    "refused",
    "fenced",
    "killed",
    "elsewhere",
    "unknown",
    "never-run",
    "unreachable",
]


class LagJson(Model):
    """How far behind a source says it is."""

    source: int
    metric: str = Field(description="Spark's name of the metric.")
    counts: str = Field(description="offsets, files or bytes.")
    amount: float


class ProgressJson(Model):
    """What matters of one progress event of Spark."""

    batch: int | None
    began_ms: int | None = Field(description="By the clock of the driver.")
    idle: bool = Field(description="No batch was run; the id is that of the batch to come.")
    rows: int | None
    input_rows_per_second: float | None
    processed_rows_per_second: float | None
    duration_ms: int | None
    lag: list[LagJson]


class RunEndJson(Model):
    """How a run ended."""

    end: Literal["drained", "stopped", "failed", "refused", "fenced"]
    ended_ms: int | None
    duration_ms: int
    batches: int
    rows: int
    last_batch: int | None
    code: str
    cause: str
    next_action: str


class HolderJson(Model):
    """Who holds the lease."""

    host: str
    pid: int
    user: str
    since_ms: int = Field(description="By the clock of its host.")
    here: bool = Field(description="Whether it is on this machine, so that its pid can be asked.")
    beats: int | None = Field(description="Moves while the holder lives.")


class JobStatusJson(Model):
    """How one job is doing."""

    job: str
    checkpoint: str
    status: RunStatusJson
    epoch: int | None
    holder: HolderJson | None
    last_planned: int | None
    last_committed: int | None
    committed_at_ms: int | None
    in_flight: int | None
    progress: ProgressJson | None = Field(description="The newest event; null where there is none.")
    restarts: int = Field(description="Inside the newest run.")
    end: RunEndJson | None
    cause: str
    next_command: str


class StatusResult(Model):
    """The answer of `status`."""

    jobs: list[JobStatusJson]


class RestartInRunJson(Model):
    """A query that failed and was started again by the same run."""

    number: int
    at_ms: int
    code: str
    cause: str
    wait_ms: int


class PastRunJson(Model):
    """One run; null where no record of its start could be read."""

    epoch: int
    status: RunStatusJson
    started_ms: int | None
    host: str | None
    pid: int | None
    user: str | None
    profile: str | None
    master: str | None
    once: bool | None
    take_over: bool | None
    spark_version: str | None
    holdfast_version: str | None
    code_revision: str | None
    end: RunEndJson | None = Field(description="null while it runs, and where it was killed.")
    restarts: list[RestartInRunJson]


class PastBatchJson(Model):
    """One batch."""

    batch: int
    committed_at_ms: int | None = Field(description="null once Spark has purged its commit.")
    progress: ProgressJson | None = Field(description="null where none was recorded.")


class HistoryResult(Model):
    """The answer of `history`, newest first."""

    job: str
    checkpoint: str
    runs_in_all: int
    runs: list[PastRunJson]
    batches: list[PastBatchJson]


class StatusEnvelope(Envelope):
    """holdfast/status/1."""

    schema_name: Literal["holdfast/status/1"] = Field(alias="schema")
    result: StatusResult


class HistoryEnvelope(Envelope):
    """holdfast/history/1."""

    schema_name: Literal["holdfast/history/1"] = Field(alias="schema")
    result: HistoryResult
