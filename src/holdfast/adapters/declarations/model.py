"""The shape of holdfast.yaml. Descriptions are what an editor shows."""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from holdfast.adapters.declarations.fields import (
    Location,
    Name,
    OptionText,
    ProfileNames,
    Text,
    Transform,
    Trigger,
)
from holdfast.adapters.declarations.part import OPTIONS, Part, SparkOptions
from holdfast.adapters.declarations.sink_models import (
    KNOWN_SINKS,
    DeltaSinkModel,
    FileSinkModel,
    FilesSinkModel,
    HttpSinkModel,
    KafkaSinkModel,
    OtherSinkModel,
    PythonSinkModel,
    SqlSinkModel,
)

FILE_FORMATS = ("json", "csv", "parquet", "text")
POSITION_OPTIONS = ("subscribe", "subscribePattern", "assign")
SERVERS_OPTION = "kafka.bootstrap.servers"


class SourceModel(Part):
    """What a job reads: a format with its path and options, or another job's output."""

    format: Literal["json", "csv", "parquet", "text", "rate", "rate-micro-batch", "kafka", "delta"]
    path: Location | None = Field(None, description="Folder that a file or Delta source reads.")
    # `schema` is taken: pydantic's own class has a method of that name.
    ddl: Text | None = Field(
        None, alias="schema", description="DDL, such as 'id long, at timestamp'."
    )
    options: SparkOptions = Field(default_factory=dict, description=OPTIONS)

    @model_validator(mode="after")
    def _fits_its_format(self) -> "SourceModel":
        misfits = _misfits(self)
        if misfits:
            raise ValueError("; ".join(misfits))
        return self


class JobSourceModel(Part):
    """What another job writes: format, path and schema follow from its sink."""

    job: Name = Field(description="The job whose output is read.")
    ddl: Text | None = Field(
        None, alias="schema", description="DDL, where the sink of that job gives none."
    )
    options: SparkOptions = Field(default_factory=dict, description=OPTIONS)


def _source_tag(value: Any) -> str:
    if isinstance(value, str):
        return "\0name"
    return "\0job source" if isinstance(value, dict) and "job" in value else "\0source"


def _sink_tag(value: Any) -> str:
    if isinstance(value, str):
        return "\0name"
    kind = value.get("kind") if isinstance(value, dict) else None
    return f"\0{kind} sink" if kind in KNOWN_SINKS else "\0other sink"


# Tags begin with a character that no key of a declaration can hold: they are taken out of the
# places that pydantic names, and say which model it looked at.
Source = Annotated[
    Annotated[SourceModel, Tag("\0source")] | Annotated[JobSourceModel, Tag("\0job source")],
    Discriminator(_source_tag),
]
Sink = Annotated[
    Annotated[FileSinkModel, Tag("\0file sink")]
    | Annotated[FilesSinkModel, Tag("\0files sink")]
    | Annotated[SqlSinkModel, Tag("\0sql sink")]
    | Annotated[DeltaSinkModel, Tag("\0delta sink")]
    | Annotated[KafkaSinkModel, Tag("\0kafka sink")]
    | Annotated[PythonSinkModel, Tag("\0python sink")]
    | Annotated[HttpSinkModel, Tag("\0http sink")]
    | Annotated[OtherSinkModel, Tag("\0other sink")],
    Discriminator(_sink_tag),
]
SourceOrName = Annotated[
    Annotated[str, Tag("\0name")]
    | Annotated[SourceModel, Tag("\0source")]
    | Annotated[JobSourceModel, Tag("\0job source")],
    Discriminator(_source_tag),
]
SinkOrName = Annotated[
    Annotated[str, Tag("\0name")]
    | Annotated[FileSinkModel, Tag("\0file sink")]
    | Annotated[FilesSinkModel, Tag("\0files sink")]
    | Annotated[SqlSinkModel, Tag("\0sql sink")]
    | Annotated[DeltaSinkModel, Tag("\0delta sink")]
    | Annotated[KafkaSinkModel, Tag("\0kafka sink")]
    | Annotated[PythonSinkModel, Tag("\0python sink")]
    | Annotated[HttpSinkModel, Tag("\0http sink")]
    | Annotated[OtherSinkModel, Tag("\0other sink")],
    Discriminator(_sink_tag),
]


class JobModel(Part):
    """One query: where it reads, what it does with the rows, where it writes."""

    source: SourceOrName = Field(description="A source of the profile by name, or written out.")
    transform: Transform | None = Field(
        None, description="module:function, DataFrame in, DataFrame out; rows pass as they are."
    )
    sink: SinkOrName = Field(description="A sink of the profile by name, or written out.")
    trigger: Trigger = Field(
        "0 seconds", description="available-now, or the time between two batches."
    )
    output_mode: Literal["append", "update", "complete"] = "append"
    checkpoint: Location | None = Field(
        None, description="Only for a job that has a checkpoint already: where it lies."
    )
    profiles: ProfileNames | None = Field(
        None, description="The profiles that have this job; without it, all of them."
    )


class ProfileModel(Part):
    """Where the jobs read and write in one surrounding."""

    checkpoints: Location | None = Field(None, description="Base of the checkpoints here.")
    spark: dict[str, OptionText] = Field(
        default_factory=dict, description="Settings of the session, over the general ones."
    )
    sources: dict[Name, Source] = Field(default_factory=dict)
    sinks: dict[Name, Sink] = Field(default_factory=dict)


class DeclarationModel(Part):
    """holdfast.yaml: jobs, and the profiles that say where they read and write."""

    checkpoints: Location | None = Field(
        None, description="Base: the checkpoint of a job is <base>/<job>."
    )
    profile: str | None = Field(None, description="The profile where none is asked for.")
    spark: dict[str, OptionText] = Field(
        default_factory=dict, description="Settings of the Spark session."
    )
    jobs: dict[Name, JobModel] = Field(min_length=1)
    profiles: dict[Name, ProfileModel] = Field(default_factory=dict)


MODELS: dict[str, type[BaseModel]] = {
    "\0source": SourceModel,
    "\0job source": JobSourceModel,
    "\0file sink": FileSinkModel,
    "\0files sink": FilesSinkModel,
    "\0sql sink": SqlSinkModel,
    "\0delta sink": DeltaSinkModel,
    "\0kafka sink": KafkaSinkModel,
    "\0python sink": PythonSinkModel,
    "\0http sink": HttpSinkModel,
    "\0other sink": OtherSinkModel,
}


def declaration_schema() -> dict[str, Any]:
    """The JSON Schema of holdfast.yaml, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "holdfast.yaml",
        **{k: v for k, v in DeclarationModel.model_json_schema().items() if k != "title"},
    }


def _misfits(source: SourceModel) -> list[str]:
    found: list[str] = []
    kind = source.format
    if kind in (*FILE_FORMATS, "delta"):
        if source.path is None:
            found.append(f"a source of format {kind} needs a path")
    elif source.path is not None:
        found.append(f"a source of format {kind} has no path")
    if kind in ("json", "csv", "parquet") and source.ddl is None:
        found.append(f"a source of format {kind} needs a schema, such as 'id long, at timestamp'")
    if kind not in FILE_FORMATS and source.ddl is not None:
        found.append(f"a source of format {kind} has its own schema; leave the field out")
    if kind == "kafka":
        found += _kafka_misfits(source.options)
    return found


def _kafka_misfits(options: dict[str, str]) -> list[str]:
    # Spark compares the names of options without case.
    given = {name.lower() for name in options}
    found = []
    if SERVERS_OPTION not in given:
        found.append(f"a source of format kafka needs the option {SERVERS_OPTION}")
    if sum(name.lower() in given for name in POSITION_OPTIONS) != 1:
        found.append(f"it needs exactly one of the options {', '.join(POSITION_OPTIONS)}")
    return found
