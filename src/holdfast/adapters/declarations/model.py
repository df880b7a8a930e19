"""The shape of holdfast.yaml. Descriptions are what an editor shows."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)

from holdfast.adapters.declarations.fields import (
    Columns,
    Location,
    Name,
    OptionText,
    Text,
    Transform,
    Trigger,
)

FILE_FORMATS = ("json", "csv", "parquet", "text")
POSITION_OPTIONS = ("subscribe", "subscribePattern", "assign")
SERVERS_OPTION = "kafka.bootstrap.servers"
OPTIONS = "Options by Spark's own names."
RESERVED = ("path", "format", "schema", "checkpointlocation", "partition_by")
"""Options that have a field of their own, or that Holdfast sets."""


def _not_reserved(options: dict[str, str]) -> dict[str, str]:
    taken = [name for name in options if name.lower() in RESERVED]
    if taken:
        raise ValueError(f"{taken[0]!r} is no option here: it has a field of its own")
    return options


SparkOptions = Annotated[dict[str, OptionText], AfterValidator(_not_reserved)]


class Part(BaseModel):
    """A mapping whose fields are all known, and whose values are taken as they are."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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


class FileSinkModel(Part):
    """Files in a folder; the files of a batch appear together to whoever reads it with Spark."""

    kind: Literal["file"]
    format: Literal["json", "csv", "parquet", "text"]
    path: Location = Field(description="Folder that is written to.")
    partition_by: Columns | None = Field(None, description="Columns that become folders.")
    ddl: Text | None = Field(
        None, alias="schema", description="DDL of the rows, for the jobs that read them."
    )
    options: SparkOptions = Field(default_factory=dict, description=OPTIONS)


class SqlSinkModel(Part):
    """A table of a database, with a ledger in the same transaction."""

    kind: Literal["sql"]
    url: Text = Field(description="URL as SQLAlchemy takes it, such as sqlite:///./data/gold.db.")
    table: Text
    mode: Literal["append", "upsert"] = "append"
    key: Columns | None = Field(None, description="Columns that tell a row, for upsert.")
    version: Text | None = Field(
        None, description="Column that grows with every version of a row; older ones are left out."
    )
    batch_column: Text | None = Field(None, description="Column that gets the id of the batch.")
    create: bool = Field(False, description="Create file and table where they do not exist.")
    columns: Text | None = Field(
        None, description="DDL of the table for create; else types come from the first rows."
    )
    lock_wait_seconds: int | None = Field(
        None, ge=0, le=3600, description="How long to wait for a database that is locked."
    )

    @model_validator(mode="after")
    def _has_its_key(self) -> "SqlSinkModel":
        if self.mode == "upsert" and self.key is None:
            raise ValueError("mode upsert needs a key")
        if self.mode == "append" and (self.key is not None or self.version is not None):
            raise ValueError("key and version are for mode upsert")
        if self.columns is not None and not self.create:
            raise ValueError("columns are for creating the table; add create: true")
        return self


class DeltaSinkModel(Part):
    """A Delta table; every batch goes in once, under the query's own identifier."""

    kind: Literal["delta"]
    path: Location = Field(description="Folder of the table.")
    mode: Literal["append", "upsert"] = "append"
    key: Columns | None = Field(None, description="Columns that tell a row, for upsert.")
    version: Text | None = Field(
        None, description="Column that grows with every version of a row; older ones are left out."
    )
    create: bool = Field(False, description="For upsert: create the table where it does not exist.")
    columns: Text | None = Field(
        None, description="DDL of the table for create; else types come from the first batch."
    )
    partition_by: Columns | None = Field(None, description="Columns that become folders.")
    options: SparkOptions = Field(default_factory=dict, description=OPTIONS)

    @model_validator(mode="after")
    def _fits_its_mode(self) -> "DeltaSinkModel":
        if self.mode == "append":
            if self.key is not None or self.version is not None:
                raise ValueError("key and version are for mode upsert")
            if self.create or self.columns is not None:
                raise ValueError("mode append creates its table by itself; leave the field out")
            return self
        if self.key is None:
            raise ValueError("mode upsert needs a key")
        if self.options:
            raise ValueError("options are for mode append")
        if not self.create and (self.columns is not None or self.partition_by is not None):
            raise ValueError(
                "columns and partition_by are for creating the table; add create: true"
            )
        return self


class OtherSinkModel(BaseModel):
    """A sink of an installed package; its fields are its own."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    kind: Annotated[
        Text, WithJsonSchema({"type": "string", "not": {"enum": ["file", "sql", "delta"]}})
    ]


def _source_tag(value: Any) -> str:
    if isinstance(value, str):
        return "\0name"
    return "\0job source" if isinstance(value, dict) and "job" in value else "\0source"


def _sink_tag(value: Any) -> str:
    if isinstance(value, str):
        return "\0name"
    kind = value.get("kind") if isinstance(value, dict) else None
    return f"\0{kind} sink" if kind in ("file", "sql", "delta") else "\0other sink"


# Tags begin with a character that no key of a declaration can hold: they are taken out of the
# places that pydantic names, and say which model it looked at.
Source = Annotated[
    Annotated[SourceModel, Tag("\0source")] | Annotated[JobSourceModel, Tag("\0job source")],
    Discriminator(_source_tag),
]
Sink = Annotated[
    Annotated[FileSinkModel, Tag("\0file sink")]
    | Annotated[SqlSinkModel, Tag("\0sql sink")]
    | Annotated[DeltaSinkModel, Tag("\0delta sink")]
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
    | Annotated[SqlSinkModel, Tag("\0sql sink")]
    | Annotated[DeltaSinkModel, Tag("\0delta sink")]
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
    "\0sql sink": SqlSinkModel,
    "\0delta sink": DeltaSinkModel,
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
