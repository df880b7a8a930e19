"""The JSON contract as pydantic models: `holdfast schema` prints them, tests hold output to them.

Additive only: a field may be added, none is renamed, removed or given another meaning.
"""

from typing import Any, Literal

from pydantic import Field

from holdfast.surfaces.render.audit.contract import AuditEnvelope
from holdfast.surfaces.render.contract_envelope import Envelope, Model
from holdfast.surfaces.render.contract_records import HistoryEnvelope, StatusEnvelope
from holdfast.surfaces.render.demo.contract import DemoEnvelope
from holdfast.surfaces.render.explain.contract import ExplainEnvelope
from holdfast.surfaces.render.judge.contract import EvidenceEnvelope, JudgeEnvelope
from holdfast.surfaces.render.lag.contract import LagEnvelope
from holdfast.surfaces.render.plan.contract import ApplyEnvelope, PlanEnvelope, UndoEnvelope
from holdfast.surfaces.render.rehearse.contract import RehearseEnvelope

Count = int
FactStatus = Literal["known", "absent", "unreadable"]


class FactJson(Model):
    """How a fact is known."""

    status: FactStatus
    origin: str
    reason: str | None = None


class LogJson(Model):
    """offsets/ or commits/."""

    version: int | None = Field(description="Of the newest file; null where it cannot be read.")
    first: int
    last: int
    count: Count
    gaps: list[int] = Field(description="Missing batch ids between first and last, at most 1000.")
    missing: Count = Field(description="How many are missing in all.")


class SourceJson(Model):
    """A source at the end of the newest planned batch."""

    position: int
    name: str | None
    kind: str | None = Field(description="null while the source has no position yet.")
    offset: Any = Field(description="The decoded offset; the text itself where it is no JSON.")
    text: str = Field(description="As written.")


class LatestJson(Model):
    """The newest planned batch."""

    batch: int
    timestamp_ms: int | None
    watermark_ms: int | None
    conf: dict[str, str]
    sources: list[SourceJson]


class RangeJson(Model):
    """First and last batch, both included."""

    first: int
    last: int


class OperatorJson(Model):
    """A stateful operator."""

    operator: int
    name: str | None
    partitions: int
    stores: list[str]
    files: dict[str, int]
    last_version: int | None
    temporary_files: int
    loadable_batches: RangeJson | None
    loadable_ranges: list[RangeJson]
    provider: str | None
    metadata: FactJson
    partition_versions: list[dict[str, Any]] | None = Field(
        default=None, description="With --state: versions that can be loaded, store by store."
    )


class RestartJson(Model):
    """What a restart will do."""

    kind: Literal["fresh", "next", "rerun", "rerun-then-fail", "refused"]
    batch: int | None
    text: str


class PinnedJson(Model):
    """A pinned setting that is not at Spark's default."""

    value: str
    default: str | None


class SizeJson(Model):
    """Files and bytes of a part."""

    files: int
    bytes: int


class IntegrityJson(Model):
    """How much of a part was held against a checksum or a seal."""

    status: Literal["verified", "unverified", "damaged"]
    files: int
    read: int
    verified: int
    failed: int
    sealed: int = Field(default=0, description="Of the verified ones, those with a seal.")


class MoveJson(Model):
    """One position of a source before and after a batch."""

    labels: dict[str, str]
    start: str | None
    end: str | None
    amount: int | None


class BatchSourceJson(Model):
    """What a batch reads from one source."""

    position: int
    name: str | None
    kind: str
    counts: str | None
    amount: int | None
    moves: list[MoveJson]
    files: list[dict[str, Any]] | None = Field(description="Input files of a file source.")


class BatchJson(Model):
    """One batch, with `--batch`."""

    batch: int
    committed: bool
    timestamp_ms: int | None
    watermark_ms: int | None
    next_watermark_ms: int | None
    plan: FactJson
    sources: list[BatchSourceJson]


class ShowResult(Model):
    """The answer of `show`."""

    query_id: str | None
    offsets: LogJson | None
    commits: LogJson | None
    in_flight: int | None
    next_batch: int | None
    latest: LatestJson | None
    state: list[OperatorJson]
    files: int
    bytes: int
    died: str | None
    restart: RestartJson
    committed_at_ms: int | None
    planned_at_ms: int | None
    next_watermark_ms: int | None
    pinned: dict[str, PinnedJson]
    sizes: dict[str, SizeJson]
    integrity: dict[str, IntegrityJson]
    facts: dict[str, FactJson]
    batch: BatchJson | None = None
    schemas: list[dict[str, Any]] | None = None


class FleetMemberJson(Model):
    """One checkpoint of the fleet."""

    path: str
    query_id: str | None
    last_planned: int | None
    last_committed: int | None
    in_flight: int | None
    committed_at_ms: int | None
    operators: int
    files: int
    bytes: int


class FleetResult(Model):
    """The answer of `fleet`."""

    count: int
    bytes: int
    checkpoints: list[FleetMemberJson]


class ChangeJson(Model):
    """A named thing with its value on either side."""

    name: str
    left: str | None
    right: str | None


class DiffResult(Model):
    """The answer of `diff`."""

    left: str
    right: str
    equal: bool
    lineage: Literal["same", "parted", "different", "unknown"]
    last_equal_batch: int | None
    first_unequal_batch: int | None
    logs: list[ChangeJson]
    sources: list[dict[str, Any]]
    conf: list[ChangeJson]
    operators: list[ChangeJson]
    schemas: list[ChangeJson]


class RunJobJson(Model):
    """How one job ended."""

    job: str
    end: Literal["drained", "stopped", "failed", "refused", "fenced"]
    epoch: int | None
    query_id: str | None
    batches: int
    rows: int
    last_batch: int | None
    duration_ms: int
    cause: str
    next_action: str
    code: str = Field(description="The stable code of the cause, '' where there is none.")
    exit_code: int
    started_ms: int
    ended_ms: int
    restarts: int = Field(description="How often the query was started again after a failure.")


class RunResultJson(Model):
    """The answer of `run`."""

    jobs: list[RunJobJson]


class InitResult(Model):
    """The answer of `init`."""

    folder: str
    template: str
    files: list[str]
    next_command: str


class CheckJson(Model):
    """One thing that `doctor` looked at."""

    name: str
    status: Literal["ok", "warning", "error", "skipped"]
    found: str = Field(description="What was found, or why it was not looked at.")
    subject: str = Field(description="Which one, where there may be several; else ''.")
    code: str = Field(description="HF5xx of what is wrong; '' where nothing is.")
    fix: list[str] = Field(description="Lines that mend it.")


class DoctorResult(Model):
    """The answer of `doctor`."""

    profile: str = Field(description="'' where there is no declaration, or it does not load.")
    counts: dict[str, int] = Field(description="Checks by status.")
    checks: list[CheckJson]


class ErrorJson(Model):
    """Why nothing could be said."""

    code: str
    message: str
    next_action: str


class ShowEnvelope(Envelope):
    """holdfast/show/1."""

    schema_name: Literal["holdfast/show/1"] = Field(alias="schema")
    result: ShowResult


class FleetEnvelope(Envelope):
    """holdfast/fleet/1."""

    schema_name: Literal["holdfast/fleet/1"] = Field(alias="schema")
    result: FleetResult


class DiffEnvelope(Envelope):
    """holdfast/diff/1."""

    schema_name: Literal["holdfast/diff/1"] = Field(alias="schema")
    result: DiffResult


class RunEnvelope(Envelope):
    """holdfast/run/1."""

    schema_name: Literal["holdfast/run/1"] = Field(alias="schema")
    result: RunResultJson


class InitEnvelope(Envelope):
    """holdfast/init/1."""

    schema_name: Literal["holdfast/init/1"] = Field(alias="schema")
    result: InitResult


class DoctorEnvelope(Envelope):
    """holdfast/doctor/1."""

    schema_name: Literal["holdfast/doctor/1"] = Field(alias="schema")
    result: DoctorResult


class ErrorEnvelope(Envelope):
    """holdfast/error/1."""

    schema_name: Literal["holdfast/error/1"] = Field(alias="schema")
    error: ErrorJson


MODELS: dict[str, type[Envelope]] = {
    "show": ShowEnvelope,
    "fleet": FleetEnvelope,
    "diff": DiffEnvelope,
    "run": RunEnvelope,
    "init": InitEnvelope,
    "demo": DemoEnvelope,
    "audit": AuditEnvelope,
    "doctor": DoctorEnvelope,
    "status": StatusEnvelope,
    "history": HistoryEnvelope,
    "evidence": EvidenceEnvelope,
    "judge": JudgeEnvelope,
    "plan": PlanEnvelope,
    "apply": ApplyEnvelope,
    "undo": UndoEnvelope,
    "rehearse": RehearseEnvelope,
    "lag": LagEnvelope,
    "explain": ExplainEnvelope,
    "error": ErrorEnvelope,
}


def json_schemas() -> dict[str, Any]:
    """JSON Schema of every JSON output, by name."""
    return {
        f"holdfast/{name}/1": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **model.model_json_schema(by_alias=True),
        }
        for name, model in MODELS.items()
    }
