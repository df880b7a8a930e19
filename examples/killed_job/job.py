"""A plain PySpark job, as people write them: JSON files in, a count per sensor out.

It knows nothing of Holdfast. The third micro-batch is slow, so that somebody can kill it.
"""

import sys
import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

SLOW_BATCH = 2
SLOW_S = 600.0


def write_batch(frame: DataFrame, batch_id: int) -> None:
    """Write the counts, and take very long over the third batch."""
    rows = frame.collect()
    print(f"batch {batch_id}: {len(rows)} sensors counted", flush=True)
    if batch_id == SLOW_BATCH:
        time.sleep(SLOW_S)


def main(folder: Path) -> None:
    """Count readings per sensor, one input file a batch."""
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("killed-job")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    readings = (
        spark.readStream.schema("sensor string, value double")
        .option("maxFilesPerTrigger", "1")
        .json(str(folder / "input"))
    )
    query = (
        readings.groupBy("sensor")
        .count()
        .writeStream.outputMode("complete")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .foreachBatch(write_batch)
        .start()
    )
    query.awaitTermination()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
