"""Rows in = rows good + rows quarantined: python check_counts.py, once the jobs have drained.

For Delta tables: spark-submit --packages … check_counts.py --format delta --folder $LAKE
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


@dataclass(frozen=True)
class Counts:
    """How many lines came in, and what became of them."""

    lines: int
    good: int
    quarantined: int

    @property
    def add_up(self) -> bool:
        """Whether every line became one row, a reading or one with a reason."""
        return self.lines == self.good + self.quarantined


def check_counts(raw: DataFrame, readings: DataFrame) -> Counts:
    """Count the lines, and the rows that `deserialize` made of them."""
    bad = F.sum(F.col("quarantined").cast("long"))
    total, quarantined = readings.agg(F.count("*"), F.coalesce(bad, F.lit(0))).first()
    return Counts(raw.count(), total - quarantined, quarantined)


def main() -> int:
    """Read the tables of one profile and say what was counted."""
    parser = argparse.ArgumentParser(description="Check that no line was lost.")
    parser.add_argument("--format", default="parquet", choices=("parquet", "delta"))
    parser.add_argument("--folder", default=str(Path(__file__).parent / "data"))
    given = parser.parse_args()
    spark = SparkSession.builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    raw, readings = (
        spark.read.format(given.format).load(f"{given.folder}/{name}")
        for name in ("raw", "readings")
    )
    counts = check_counts(raw, readings)
    spark.stop()
    print(f"{counts.lines} lines, {counts.good} good, {counts.quarantined} quarantined")
    return 0 if counts.add_up else 1


if __name__ == "__main__":
    sys.exit(main())
