"""The configuration that a checkpoint pins (OffsetSeqMetadata.relevantSQLConfs) and its defaults.

At a restart the values in the newest offsets file overwrite the session's, silently but for a
warning in the log; so what counts is what is stored here.
"""

from collections.abc import Mapping

_STATE = "spark.sql.streaming.stateStore"
_PROVIDERS = "org.apache.spark.sql.execution.streaming.state"

PARTITIONS = "spark.sql.shuffle.partitions"
PROVIDER = f"{_STATE}.providerClass"
CODEC = f"{_STATE}.compression.codec"
SOURCE_EVOLUTION = "spark.sql.streaming.queryEvolution.enableSourceEvolution"

DEFAULTS: dict[str, str] = {
    PARTITIONS: "200",
    PROVIDER: f"{_PROVIDERS}.HDFSBackedStateStoreProvider",
    "spark.sql.streaming.multipleWatermarkPolicy": "min",
    "spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion": "2",
    "spark.sql.streaming.aggregation.stateFormatVersion": "2",
    "spark.sql.streaming.join.stateFormatVersion": "2",
    CODEC: "lz4",
    f"{_STATE}.rocksdb.formatVersion": "5",
    "spark.sql.streaming.statefulOperator.useStrictDistribution": "true",
    "spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan": "false",
    f"{_STATE}.encodingFormat": "unsaferow",
    f"{_STATE}.rocksdb.mergeOperatorVersion": "2",
    f"{_STATE}.rowChecksum.enabled": "false",
    "spark.sql.function.protobufExtensions.enabled": "false",
    SOURCE_EVOLUTION: "false",
    "spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled": "true",
    "spark.sql.dropDuplicates.deterministicKeyOrder.enabled": "true",
}
"""Session defaults of Spark 4.3."""


def differing(conf: Mapping[str, str]) -> dict[str, tuple[str, str | None]]:
    """Pinned settings that are not at Spark's default: name to (value, default or None)."""
    return {
        key: (value, DEFAULTS.get(key)) for key, value in conf.items() if DEFAULTS.get(key) != value
    }


def partitions_of(conf: Mapping[str, str]) -> int | None:
    """The pinned number of state partitions, None where a file does not say."""
    text = conf.get(PARTITIONS, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else None
