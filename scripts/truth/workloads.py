"""The queries that are changed and started again, as data; session_queries.py builds them."""

from dataclasses import dataclass
from typing import Literal

VERSIONS = ("3.5.9", "4.0.5", "4.1.4", "4.2.0", "4.3.0")
HOME = "4.2.0"
"""The version with matching jars of Delta and Kafka; the whole table is made on it."""

Sink = Literal["parquet", "foreach", "delta", "delta-txn"]
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
STATE_FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
ROCKSDB = {
    PROVIDER: "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
APP = "truth-app"
"""The txnAppId of the workload that has a fixed one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One query: where it reads, what it keeps, where it writes."""

    name: str
    shape: Literal["plain", "union", "windows", "unique", "pairs"]
    """What the query does; the oracle of input_rows.py knows each shape."""
    sink: Sink
    source: Literal["files", "kafka"] = "files"
    settings: tuple[tuple[str, str], ...] = ()
    since: str = "3.5"

    @property
    def needs_jars(self) -> bool:
        return self.sink.startswith("delta") or self.source == "kafka"

    @property
    def is_stateful(self) -> bool:
        return self.shape in ("windows", "unique", "pairs")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Folders that it reads, in the order of its sources."""
        return ("left", "right") if self.shape in ("union", "pairs") else ("left",)

    def runs_on(self, version: str) -> bool:
        return version >= self.since and (version == HOME or not self.needs_jars)


def _rocks(state_format: str) -> tuple[tuple[str, str], ...]:
    return (*ROCKSDB.items(), (STATE_FORMAT, state_format))


WORKLOADS = {
    each.name: each
    for each in (
        Workload(name="files-parquet", shape="plain", sink="parquet"),
        Workload(name="files-foreach", shape="plain", sink="foreach"),
        Workload(name="union-parquet", shape="union", sink="parquet"),
        Workload(name="windows-hdfs", shape="windows", sink="parquet"),
        Workload(
            name="windows-rocks1",
            shape="windows",
            sink="parquet",
            settings=tuple(ROCKSDB.items()),
        ),
        Workload(
            name="windows-rocks2",
            shape="windows",
            sink="parquet",
            settings=_rocks("2"),
            since="4.0",
        ),
        Workload(name="windows-foreach", shape="windows", sink="foreach"),
        Workload(name="unique-hdfs", shape="unique", sink="parquet"),
        Workload(name="pairs-hdfs", shape="pairs", sink="parquet"),
        Workload(name="files-delta", shape="plain", sink="delta"),
        Workload(name="files-deltatxn", shape="plain", sink="delta-txn"),
        Workload(name="windows-delta2", shape="windows", sink="delta", settings=_rocks("2")),
        Workload(name="kafka-delta", shape="plain", sink="delta", source="kafka"),
    )
}
