"""Which sink a log speaks of: what bad advice does depends on it."""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args

Sink: TypeAlias = Literal["delta", "delta-txn", "file", "iceberg", "kafka", "jdbc", "foreach"]

SINKS: Final[tuple[str, ...]] = get_args(Sink)

NAMES: Final[dict[str, str]] = {
    "delta": "Delta's own sink",
    "delta-txn": "Delta in foreachBatch with txnAppId",
    "file": "Spark's file sink (Parquet, CSV, JSON)",
    "iceberg": "Iceberg's sink",
    "kafka": "Kafka's sink",
    "jdbc": "a database without a ledger",
    "foreach": "foreach or foreachBatch of your own",
}

# The first sign that a text holds decides, so the particular comes before the general.
SIGNS: Final[tuple[tuple[str, Sink], ...]] = (
    ("txnappid", "delta-txn"),
    ("deltasink", "delta"),
    ("skipping already complete epoch", "delta"),
    ("filestreamsink", "file"),
    ("_spark_metadata", "file"),
    ("iceberg.spark.source.sparkwrite", "iceberg"),
    ("kafkastreamingwrite", "kafka"),
    ("kafkawritetask", "kafka"),
    ("kafkasourceprovider$$anon$", "kafka"),
    ("jdbcutils$.savepartition", "jdbc"),
    ("foreachbatchsink", "foreach"),
    ("foreachwritertable", "foreach"),
    ("foreach_batch_user_function_error", "foreach"),
)


def sink_of(signs: Iterable[str]) -> Sink | None:
    """The sink that the signs found in a text point at, None where there are none."""
    found = set(signs)
    return next((sink for sign, sink in SIGNS if sign in found), None)
