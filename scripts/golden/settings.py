"""Session settings of the kinds of process that need more than the shared session has."""

from __future__ import annotations

import os

# make.py resolves the jars and hands their comma separated list down.
JARS = os.environ.get("HOLDFAST_GOLDEN_JARS", "")

SETTINGS: dict[str, dict[str, str]] = {
    "lake": {
        "jars": JARS,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # The default of 50 costs seconds for each commit on a small machine.
        "spark.databricks.delta.snapshotPartitions": "2",
    },
    "kafka": {"jars": JARS},
    # In real-time mode the tasks of all stages run at once and each holds a slot.
    "realtime": {"master": "local[5]"},
}
