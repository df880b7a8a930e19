"""What a user would run instead: Spark's state-metadata reader. Prints one line of JSON."""

import json
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
rows = spark.read.format("state-metadata").load(sys.argv[1]).collect()
print(
    json.dumps(
        sorted([r.operatorId, r.operatorName, r.stateStoreName, r.numPartitions] for r in rows)
    )
)
spark.stop()
