"""Changes of the code, of settings and of the version of Spark."""

from scripts.matrix.mutations import commit_gone
from scripts.truth.changes.change import FILES, WINDOWS, Act, Change, nothing
from scripts.truth.stage import Stage
from scripts.truth.workloads import HOME, PROVIDER, ROCKSDB, STATE_FORMAT

WIN = ("windows-hdfs", "windows-rocks2")


def sink_moved(stage: Stage) -> None:
    stage.output = stage.folder / "another-output"


def to_foreach(stage: Stage) -> None:
    """Into the same folder, with a plain append instead of Spark's own sink."""
    stage.sink = "foreach-parquet"


def to_delta(stage: Stage) -> None:
    stage.sink, stage.output = "delta", stage.folder / "another-output"


def to_native(stage: Stage) -> None:
    stage.sink = "delta"


def to_txn(stage: Stage) -> None:
    stage.sink = "delta-txn"


def in_flight(stage: Stage) -> None:
    commit_gone(stage.checkpoint)


def _code(name: str, text: str, on: tuple[str, ...], act: Act = nothing) -> Change:
    return Change(name=f"code_{name}", touches="code", text=text, on=on, variant=name, act=act)


def _sink(name: str, text: str, on: tuple[str, ...], act: Act) -> Change:
    return Change(name=name, touches="code", text=text, on=on, act=act)


CODE = (
    _code("filter", "a filter added", (*FILES, "windows-hdfs")),
    _code("projection", "a projection changed", FILES),
    _code("column_added", "a column added to the output", ("files-parquet", "files-delta")),
    _code("column_removed", "a column removed from the output", ("files-parquet", "files-delta")),
    _code("type_changed", "a column's type changed", ("files-parquet", "files-delta")),
    _code("source_added", "a second source added", FILES),
    _code("source_removed", "the second source removed", ("union-parquet",)),
    _code("sources_reordered", "two sources reordered", ("union-parquet", "pairs-hdfs")),
    _code("other_kind", "another kind of source", (*FILES, "union-parquet")),
    _code("text_source", "the same files read by another format", FILES),
    _code("operator_added", "a stateful operator added", ("files-parquet", *WIN)),
    _code("aggregation_added", "an aggregation added", ("files-parquet",)),
    _code("operator_removed", "the stateful operator removed", (*WIN, "unique-hdfs")),
    _code("key_added", "a grouping key added", (*WINDOWS, "unique-hdfs", "pairs-hdfs")),
    _code("key_removed", "a grouping key removed", (*WIN, "unique-hdfs")),
    _code("key_type", "a grouping key of another type", (*WIN, "pairs-hdfs")),
    _code("key_renamed", "a grouping key renamed", WIN),
    _code("keys_reordered", "keys in another order", ("unique-hdfs",)),
    _code("aggregate", "a sum instead of a count", WIN),
    _code("aggregate_same", "a count of other rows", WIN),
    _code("aggregate_added", "an aggregate added", WIN),
    _code("window", "another size of window", WIN),
    _code("watermark", "another delay of the watermark", WIN),
    _code("within_watermark", "deduplication within a watermark instead", ("unique-hdfs",)),
    _code("condition", "the condition of the join changed", ("pairs-hdfs",)),
    _code("join_type", "the type of the join changed", ("pairs-hdfs",)),
    Change(
        name="mode_update",
        touches="code",
        text="output mode append to update",
        on=("windows-foreach",),
        mode="update",
    ),
    Change(
        name="mode_complete",
        touches="code",
        text="output mode append to complete",
        on=("windows-foreach",),
        mode="complete",
    ),
    _sink("sink_moved", "another folder to write to", ("files-parquet", "files-delta"), sink_moved),
    _sink(
        "sink_to_foreach", "a plain append instead of Spark's sink", ("files-parquet",), to_foreach
    ),
    _sink("sink_to_delta", "Delta instead of Parquet", ("files-parquet",), to_delta),
    _sink("sink_to_native", "Delta's own sink instead of txnAppId", ("files-deltatxn",), to_native),
    _sink("sink_to_txn", "txnAppId instead of Delta's own sink", ("files-delta",), to_txn),
)


def _set(name: str, key: str, value: str, on: tuple[str, ...], act: Act = nothing) -> Change:
    text = f"{key.removeprefix('spark.sql.')} = {value.rpartition('.')[2]}"
    return Change(
        name=f"set_{name}", touches="settings", text=text, on=on, settings={key: value}, act=act
    )


STREAMING = "spark.sql.streaming"
HDFS = ROCKSDB[PROVIDER].replace("RocksDB", "HDFSBacked")
SETTINGS = (
    _set("partitions", "spark.sql.shuffle.partitions", "5", (*WINDOWS, "pairs-hdfs")),
    _set("rocksdb", PROVIDER, ROCKSDB[PROVIDER], ("windows-hdfs", "unique-hdfs")),
    _set("hdfs", PROVIDER, HDFS, ("windows-rocks1", "windows-rocks2")),
    _set("format_up", STATE_FORMAT, "2", ("windows-rocks1",)),
    _set("format_up_hdfs", STATE_FORMAT, "2", ("windows-hdfs",)),
    _set("format_down", STATE_FORMAT, "1", ("windows-rocks2",)),
    _set(
        "zone", "spark.sql.session.timeZone", "Asia/Tokyo", ("files-parquet", *WIN, "unique-hdfs")
    ),
    _set("ansi", "spark.sql.ansi.enabled", "false", ("files-parquet", "windows-hdfs")),
    _set("case", "spark.sql.caseSensitive", "true", ("files-parquet", "windows-hdfs")),
    _set("codec", f"{STREAMING}.stateStore.compression.codec", "zstd", ("windows-hdfs",)),
    _set("aggregation_format", f"{STREAMING}.aggregation.stateFormatVersion", "1", WIN),
    _set("join_format", f"{STREAMING}.join.stateFormatVersion", "1", ("pairs-hdfs",)),
    _set(
        "changelog",
        f"{STREAMING}.stateStore.rocksdb.changelogCheckpointing.enabled",
        "true",
        ("windows-rocks1", "windows-rocks2"),
    ),
    _set(
        "no_empty_batches", f"{STREAMING}.noDataMicroBatches.enabled", "false", ("files-parquet",)
    ),
    _set("retain", f"{STREAMING}.minBatchesToRetain", "2", ("files-parquet", "windows-hdfs")),
    _set("encoding", f"{STREAMING}.stateStore.encodingFormat", "avro", ("windows-rocks1",)),
    _set(
        "evolution", f"{STREAMING}.queryEvolution.enableSourceEvolution", "true", ("files-parquet",)
    ),
)
MOVABLE = (*FILES, "windows-hdfs", "windows-rocks1", "windows-rocks2", "pairs-hdfs")


def _versions() -> tuple[Change, ...]:
    made = []
    for version in ("3.5.9", "4.0.5", "4.1.4", "4.3.0"):
        way = "up" if version > HOME else "down"
        name, text = f"spark_{version}", f"Spark {way}, {HOME} to {version}"
        made.append(
            Change(name=name, touches="version", text=text, on=MOVABLE, spark=version, first=HOME)
        )
    return tuple(made)


IN_FLIGHT = (
    Change(
        name="spark_up_in_flight",
        touches="version",
        text=f"Spark up, {HOME} to 4.3.0, with a batch in flight",
        on=MOVABLE,
        act=in_flight,
        spark="4.3.0",
        first=HOME,
    ),
    Change(
        name="code_filter_in_flight",
        touches="code",
        text="a filter added with a batch in flight",
        on=("files-parquet",),
        variant="filter",
        act=in_flight,
    ),
)
CHANGES = (*CODE, *SETTINGS, *_versions(), *IN_FLIGHT)
