"""The rows of a batch as files that Spark itself writes, on its executors."""

from typing import Any

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from holdfast.adapters.sinks.files.options import FilesSinkOptions

_COUNT = "holdfast rows"


def write_frame(frame: DataFrame, location: str, options: FilesSinkOptions) -> int | None:
    """Write a frame whole into a folder that does not exist; how many rows Spark has seen.

    They are counted on the way by Spark, without a second run of the plan. None where that would
    be for nothing: the footers of Parquet tell as much, and where Spark runs on this machine
    alone, it has written no file that this machine does not see.
    """
    seen: Observation | None = None
    if options.format != "parquet" or not _runs_here(frame):
        seen = Observation()
        frame = frame.observe(seen, F.count(F.lit(1)).alias(_COUNT))
    writer = frame.write.format(options.format).mode("error").options(**options.options)
    # A mark of the job's end beside the data: readers that take every file would stumble over it.
    writer = writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if options.partition_by:
        writer = writer.partitionBy(*options.partition_by)
    writer.save(location)
    if seen is None:
        return None
    found: dict[str, Any] = seen.get
    return int(found.get(_COUNT, 0))


def _runs_here(frame: DataFrame) -> bool:
    master = frame.sparkSession.sparkContext.master or ""
    return master == "local" or (master.startswith("local[") and master.endswith("]"))
