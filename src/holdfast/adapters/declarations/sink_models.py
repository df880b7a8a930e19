"""The shapes of sinks in holdfast.yaml. Descriptions are what an editor shows."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from holdfast.adapters.declarations.fields import (
    Columns,
    Location,
    OptionText,
    Text,
    Transform,
)
from holdfast.adapters.declarations.part import OPTIONS, Part, SparkOptions

KNOWN_SINKS = ("file", "files", "sql", "delta", "kafka", "python", "http")
"""Kinds whose fields are known here; those of others are their own."""


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


class FilesSinkModel(Part):
    """Files in a folder, with a ledger beside it; whole batches for every reader."""

    kind: Literal["files"]
    format: Literal["parquet", "csv", "json"] = "parquet"
    path: Location = Field(description="Folder that is written to; nothing else lies in it.")
    partition_by: Columns | None = Field(None, description="Columns that become folders.")
    batch_column: Text = Field("batch", description="What the folders of batches are called.")
    shared: bool = Field(False, description="Let several queries write here.")
    ledger: Location | None = Field(
        None, description="Folder of the ledger, on the disk of the table; beside it unless told."
    )
    ddl: Text | None = Field(
        None, alias="schema", description="DDL of the rows, for the jobs that read them."
    )
    options: SparkOptions = Field(default_factory=dict, description=OPTIONS)


class SqlSinkModel(Part):
    """A table of a database, with a ledger in the same transaction."""

    kind: Literal["sql"]
    url: Text = Field(
        description="Of SQLite, PostgreSQL, MariaDB or MySQL, such as sqlite:///./data/gold.db."
    )
    password: Text | None = Field(None, description="In place of one in the URL.")
    table: Text
    schema_name: Text | None = Field(
        None, alias="schema", description="Schema of table and ledger, on PostgreSQL."
    )
    mode: Literal["append", "upsert"] = "append"
    key: Columns | None = Field(None, description="Columns that tell a row, for upsert.")
    version: Text | None = Field(
        None, description="Column that grows with every version of a row; older ones are left out."
    )
    tombstone: Text | None = Field(
        None, description="Boolean column that says of a row that it deletes its key."
    )
    batch_column: Text | None = Field(None, description="Column that gets the id of the batch.")
    create: bool = Field(False, description="Create file and table where they do not exist.")
    columns: Text | None = Field(
        None, description="DDL of the table for create; else types come from the first rows."
    )
    add_columns: bool = Field(False, description="Add columns that the table lacks.")
    quarantine: Text | None = Field(
        None, description="Table for rows that the target cannot hold, with the reason."
    )
    lock_wait_seconds: int | None = Field(
        None, ge=0, le=3600, description="How long to wait for a database that is locked."
    )
    bulk: Literal["auto", "always", "never"] | None = Field(
        None, description="Whether executors put the rows in, on PostgreSQL."
    )

    @model_validator(mode="after")
    def _has_its_key(self) -> "SqlSinkModel":
        if self.mode == "upsert" and self.key is None:
            raise ValueError("mode upsert needs a key")
        if self.mode == "append" and (self.key is not None or self.version is not None):
            raise ValueError("key and version are for mode upsert")
        if self.mode == "append" and self.tombstone is not None:
            raise ValueError("tombstone is for mode upsert")
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
    tombstone: Text | None = Field(
        None,
        description="Boolean column, not stored; true deletes the row of that key. For upsert.",
    )
    ledger: bool = Field(
        False, description="For append: rows and mark in one commit of ours, fenced by epoch."
    )
    merge_schema: bool = Field(False, description="Add columns that the table does not have.")
    create: bool = Field(False, description="With a ledger: create the table if it is not there.")
    columns: Text | None = Field(
        None, description="DDL of the table for create; else types come from the first batch."
    )
    partition_by: Columns | None = Field(None, description="Columns that become folders.")
    options: SparkOptions = Field(default_factory=dict, description=OPTIONS)

    @model_validator(mode="after")
    def _fits_its_mode(self) -> "DeltaSinkModel":
        if self.mode == "append" and any((self.key, self.version, self.tombstone)):
            raise ValueError("key, version and tombstone are for mode upsert")
        if self.mode == "append" and not self.ledger:
            if self.create or self.columns is not None:
                raise ValueError("mode append creates its table by itself; leave the field out")
            return self
        if self.mode == "upsert" and self.key is None:
            raise ValueError("mode upsert needs a key")
        if self.options:
            raise ValueError("options are for Delta's own sink: mode append without a ledger")
        if not self.create and (self.columns is not None or self.partition_by is not None):
            raise ValueError(
                "columns and partition_by are for creating the table; add create: true"
            )
        return self


class KafkaSinkModel(Part):
    """A Kafka topic; every batch is one transaction, for readers of committed records."""

    kind: Literal["kafka"]
    servers: Text | list[Text] = Field(description="Brokers to begin with, such as host:9092.")
    topic: Text | None = Field(
        None, description="All rows go there; without it each names its own in a column `topic`."
    )
    value: Literal["json"] | None = Field(
        None, description="The columns that key does not name become the value, as JSON."
    )
    key: Columns | None = Field(None, description="Columns that become the key, as JSON.")
    create: bool = Field(False, description="Create topic and ledger where they do not exist.")
    partitions: int | None = Field(None, ge=1, description="Of the topic, for create.")
    replication: int | None = Field(None, ge=1, description="Of topic and ledger, for create.")
    ledger: Text | None = Field(
        None, description="The compacted topic that remembers batches; else <topic>-holdfast."
    )
    first_batch: int | None = Field(
        None, ge=0, description="The next batch of a checkpoint that had another sink before."
    )
    topic_id: Text | None = Field(
        None, description="The id of a topic that was deleted and made again on purpose."
    )
    transaction_seconds: int | None = Field(
        None, ge=1, description="How long a batch may take from its first row to its commit."
    )
    wait_seconds: int | None = Field(
        None, ge=1, description="How long a broker that does not answer is waited for."
    )
    options: dict[str, OptionText] = Field(
        default_factory=dict, description="Settings of the client, by librdkafka's own names."
    )

    @model_validator(mode="after")
    def _has_a_place(self) -> "KafkaSinkModel":
        if self.topic is None and self.ledger is None:
            raise ValueError("a sink of kind kafka needs a topic, or a ledger where rows name it")
        if self.key is not None and self.value is None:
            raise ValueError("key needs value: json")
        if not self.create and (self.partitions is not None or self.replication is not None):
            raise ValueError("partitions and replication are for creating; add create: true")
        return self


class OwnSinkModel(Part):
    """A target of your own; what can be promised is what it can do."""

    name: Text | None = Field(None, description="What tokens and ledger call it; keep it for ever.")
    remembers: bool = Field(False, description="The target takes a token once and no more.")
    guarantee: Literal["exactly-once", "at-least-once"] | None = Field(
        None, description="exactly-once refuses a target that cannot give it."
    )
    chunk_rows: int | None = Field(None, ge=1, le=100_000, description="Rows of one chunk.")
    attempts: int | None = Field(None, ge=1, le=20, description="Tries of one chunk in one start.")
    trial: dict[str, Any] | None = Field(
        None, description="Where the trials of an audit write, and who reads it."
    )


class PythonSinkModel(OwnSinkModel):
    """A function of your own, write(rows, token), called for each chunk of a batch."""

    kind: Literal["python"]
    function: Transform = Field(description="module:function, called with rows and token.")
    has: Transform | None = Field(
        None, description="module:function, says whether the target holds a token."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="Keyword arguments of both functions."
    )


class HttpSinkModel(OwnSinkModel):
    """A web server: one request for each chunk, its token as the Idempotency-Key."""

    kind: Literal["http"]
    url: Text = Field(description="https://host/path.")
    method: Literal["POST", "PUT", "PATCH"] = "POST"
    body: Literal["lines", "array"] = Field(
        "lines", description="One JSON object a line, or one JSON array."
    )
    headers: dict[str, Text] = Field(default_factory=dict, description="Headers of each request.")
    token_header: Text = Field("Idempotency-Key", description="The header that holds the token.")
    timeout_seconds: float | int | None = Field(
        None, gt=0, le=600, description="Time for one request and its answer."
    )


class OtherSinkModel(BaseModel):
    """A sink of an installed package; its fields are its own."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    kind: Annotated[Text, WithJsonSchema({"type": "string", "not": {"enum": list(KNOWN_SINKS)}})]
