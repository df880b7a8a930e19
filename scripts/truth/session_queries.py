"""The queries on the side of Spark: only PySpark and the standard library, on every version."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

SCHEMA = "id long, key string, value long, at timestamp"
COLUMNS = ("id", "key", "value")


def read(spark: SparkSession, task: dict[str, Any], side: str) -> DataFrame:
    """One source as a stream of records."""
    variant, options = task["variant"], task["options"]
    if variant == "other_kind" and side == "left":
        rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 6).load()
        at = f.col("timestamp").alias("at")
        return rate.select(f.col("value").alias("id"), f.lit("k0").alias("key"), "value", at)
    if task["source"] == "kafka":
        reader = spark.readStream.format("kafka").options(**options)
        texts = reader.load().select(f.col("value").cast("string").alias("value"))
        return texts.select(f.from_json("value", SCHEMA).alias("r")).select("r.*")
    reader = spark.readStream.options(**options)
    if variant == "text_source":
        texts = reader.text(task["inputs"][side])
        return texts.select(f.from_json("value", SCHEMA).alias("r")).select("r.*")
    return reader.schema(SCHEMA).json(task["inputs"][side])


def frame_of(spark: SparkSession, task: dict[str, Any]) -> DataFrame:
    """The whole query, as it was or with one change of its code."""
    shapes = {
        "plain": plain,
        "union": union,
        "windows": windows,
        "unique": unique,
        "pairs": pairs,
    }
    return shapes[task["shape"]](spark, task)


def plain(spark: SparkSession, task: dict[str, Any]) -> DataFrame:
    variant, rows = task["variant"], read(spark, task, "left")
    if variant == "source_added":
        rows = rows.union(read(spark, {**task, "variant": ""}, "right"))
    if variant == "filter":
        rows = rows.where("id % 2 = 0")
    if variant == "projection":
        rows = rows.withColumn("value", f.col("value") + 100)
    if variant == "column_added":
        return rows.select(*COLUMNS, f.lit(1).alias("extra"))
    if variant == "column_removed":
        return rows.select("id", "key")
    if variant == "type_changed":
        return rows.select("id", "key", f.col("value").cast("string").alias("value"))
    if variant == "operator_added":
        rows = rows.dropDuplicates(["id"])
    if variant == "aggregation_added":
        rows = rows.withWatermark("at", "1 minute").groupBy(f.window("at", "10 minutes"), "key")
        rows = rows.agg(f.min("id").alias("id"), f.count("*").alias("value"))
    return rows.select(*COLUMNS)


def union(spark: SparkSession, task: dict[str, Any]) -> DataFrame:
    variant, left = task["variant"], read(spark, task, "left")
    if variant == "source_removed":
        return left.select(*COLUMNS)
    right = read(spark, task, "right")
    made = right.union(left) if variant == "sources_reordered" else left.union(right)
    return made.select(*COLUMNS)


def windows(spark: SparkSession, task: dict[str, Any]) -> DataFrame:
    variant = task["variant"]
    size = "5 minutes" if variant == "window" else "10 minutes"
    delay = "3 minutes" if variant == "watermark" else "1 minute"
    rows = read(spark, task, "left").withWatermark("at", delay)
    if variant == "operator_removed":
        return rows.select(f.date_format("at", "HH:mm").alias("start"), "key", "value")
    if variant == "filter":
        rows = rows.where("id >= 0")
    if variant == "operator_added":
        rows = rows.dropDuplicates(["id", "at"])
    keys: list[Any] = [f.window("at", size).alias("w"), "key"]
    if variant == "key_added":
        keys.append("value")
    if variant == "key_removed":
        keys = keys[:1]
    if variant == "key_type":
        keys = [keys[0], f.length("key").alias("key")]
    if variant == "key_renamed":
        keys = [keys[0], f.col("key").alias("name")]
    counted = rows.groupBy(*keys)
    what = {
        "aggregate": f.sum("value"),
        "aggregate_same": f.count(f.when(f.col("id") % 2 == 0, 1)),
        # Told apart from a count, or the optimizer would take it away again.
        "aggregate_added": f.count("*") + f.max("value") * 0,
    }.get(variant, f.count("*"))
    made = counted.agg(what.alias("n"))
    name = (
        f.lit("-") if variant == "key_removed" else f.col("name" if "renamed" in variant else "key")
    )
    start = f.date_format(f.to_utc_timestamp("w.start", f.current_timezone()), "HH:mm")
    return made.select(start.alias("start"), name.alias("key"), "n")


def unique(spark: SparkSession, task: dict[str, Any]) -> DataFrame:
    variant = task["variant"]
    rows = read(spark, task, "left").withColumn("day", f.to_date("at"))
    keys = {
        "key_added": ["id", "day", "key"],
        "key_removed": ["id"],
        "keys_reordered": ["day", "id"],
    }.get(variant, ["id", "day"])
    if variant == "operator_removed":
        return rows.select(*COLUMNS)
    if variant == "within_watermark":
        rows = rows.withWatermark("at", "1 hour").dropDuplicatesWithinWatermark(keys)
        return rows.select(*COLUMNS)
    return rows.dropDuplicates(keys).select(*COLUMNS)


def pairs(spark: SparkSession, task: dict[str, Any]) -> DataFrame:
    variant = task["variant"]
    left = read(spark, task, "left").alias("l")
    right = read(spark, task, "right").alias("r")
    if variant == "sources_reordered":
        left, right = right.alias("l"), left.alias("r")
    on = f.expr("l.id = r.id")
    if variant == "key_added":
        on = f.expr("l.id = r.id and l.key = r.key")
    if variant == "condition":
        on = f.expr("l.id = r.id and l.value < 6")
    if variant == "key_type":
        on = f.expr("cast(l.id as string) = cast(r.id as string)")
    how = "inner"
    if variant == "join_type":
        left, right = left.withWatermark("at", "1 hour"), right.withWatermark("at", "1 hour")
        on, how = f.expr("l.id = r.id and l.at = r.at"), "left_outer"
    return left.join(right, on, how).select("l.id", "l.key", "l.value")


def writer_of(frame: DataFrame, task: dict[str, Any]) -> Any:
    """Into the sink, as it was or another one."""
    output, sink = task["output"], task["sink"]
    writer = frame.writeStream.outputMode(task["mode"])
    if not task["lingers"]:
        writer = writer.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", task["checkpoint"])
    if sink == "foreach":
        return writer.foreachBatch(lambda rows, batch: rows.write.mode("append").json(output))
    if sink == "foreach-parquet":
        return writer.foreachBatch(lambda rows, batch: rows.write.mode("append").parquet(output))
    if sink == "delta-txn":
        return writer.foreachBatch(lambda rows, batch: append(rows, batch, output, task["app"]))
    return writer.format(sink).option("path", output)


def append(rows: DataFrame, batch: int, output: str, app: str) -> None:
    """An idempotent append by a fixed id, as Delta's own page shows it."""
    table = rows.write.format("delta").mode("append")
    table.option("txnAppId", app).option("txnVersion", batch).save(output)


def output_rows(spark: SparkSession, task: dict[str, Any]) -> list[list[str]]:
    """The whole table as its readers see it."""
    form = {
        "foreach": "json",
        "foreach-parquet": "parquet",
        "delta-txn": "delta",
    }.get(task["sink"], task["sink"])
    reader = spark.read.format(form)
    if form == "json":
        columns = "start string, key string, n long" if task["shape"] == "windows" else SCHEMA
        reader = reader.schema(columns)
    found = reader.load(task["output"])
    names = ("start", "key", "n") if task["shape"] == "windows" else COLUMNS
    return [[str(value) for value in row] for row in found.select(*names).collect()]
