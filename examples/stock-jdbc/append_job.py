"""The sample that is in every blog: foreachBatch appends each micro-batch by JDBC.

    python append_job.py WORK

WORK gets the input (made here, the same every time), the checkpoint and the database. It ends when
its input is done. `holdfast audit` shows what is wrong with it: see README.md.
"""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

FILES, ROWS_A_FILE = 3, 20


def make_input(folder: Path) -> None:
    """Write three JSON files, one for each batch; nothing where they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        file = folder / f"{number}.json"
        if not file.exists():
            first = number * ROWS_A_FILE
            lines = [
                f'{{"id": {i}, "amount": {i % 7}}}\n' for i in range(first, first + ROWS_A_FILE)
            ]
            whole = folder / f".{number}.part"
            whole.write_text("".join(lines))
            os.utime(whole, (1_700_000_000 + number,) * 2)
            whole.rename(file)


def main(work: Path) -> None:
    """Run the query until its input is done."""
    make_input(work / "in")
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", os.environ["SQLITE_JDBC_JAR"])
        .config("spark.ui.enabled", "false")
        .config("spark.sql.streaming.minBatchesToRetain", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    with closing(sqlite3.connect(work / "orders.db")) as database:
        database.execute("CREATE TABLE IF NOT EXISTS orders (id INTEGER, amount INTEGER)")
    url = f"jdbc:sqlite:{work / 'orders.db'}"

    def append(batch: DataFrame, batch_id: int) -> None:
        # One partition: SQLite has one writer at a time. On a server each partition is its own
        # transaction, and half a batch is visible on top of it.
        driver = {"driver": "org.sqlite.JDBC"}
        batch.coalesce(1).write.mode("append").jdbc(url, "orders", properties=driver)

    orders = (
        spark.readStream.schema("id long, amount long")
        .option("maxFilesPerTrigger", 1)
        .json(str(work / "in"))
    )
    (
        orders.writeStream.foreachBatch(append)
        .option("checkpointLocation", str(work / "checkpoint"))
        .trigger(availableNow=True)
        .start()
        .awaitTermination()
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
