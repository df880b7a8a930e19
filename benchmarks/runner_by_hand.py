"""The job of the restart benchmark as people write it: no guard, no lease, no record."""

import sys

from pyspark.sql import SparkSession


def main(place: str) -> None:
    """Copy files of JSON lines to Parquet until killed."""
    spark = (
        SparkSession.builder.master("local[*]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    rows = spark.readStream.schema("value long").option("maxFilesPerTrigger", 1).json(f"{place}/in")
    writer = rows.writeStream.format("parquet").option("path", f"{place}/hand-out")
    writer.option("checkpointLocation", f"{place}/hand").start().awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1])
