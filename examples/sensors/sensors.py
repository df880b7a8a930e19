"""The transforms of the sensor jobs: DataFrame in, DataFrame out, and nothing else.

They serve every profile: lines come from files or from a Kafka topic, tables are Parquet or Delta.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

READING = "sensor string, at timestamp, sequence long, reading double, _corrupt string"
SEQUENCE_MAX = 999_999
FIRST_AT, LAST_AT = "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z"


def keep_raw(lines: DataFrame) -> DataFrame:
    """Every line as it came, byte for byte, with where it came from and the time of its batch.

    current_timestamp() is the time in the plan of the batch: a batch that runs again gets the
    same one.
    """
    return lines.select(
        F.col("value").cast("binary").alias("value"),
        _origin(lines).alias("origin"),
        F.current_timestamp().alias("ingested_at"),
    )


def deserialize(raw: DataFrame) -> DataFrame:
    """One row out for every row in: a reading, or the line and the reason why it is none."""
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "_corrupt"}
    lines = raw.select("value", "origin", F.col("value").cast("string").alias("line"))
    parsed = lines.select("*", F.from_json("line", READING, options).alias("r"))
    rows = parsed.select("value", "origin", "line", "r.*").withColumn("reason", _reason())
    good = F.col("reason").isNull()
    fields = [F.when(good, F.col(c)).alias(c) for c in ("sensor", "at", "sequence", "reading")]
    quarantined = F.isnotnull("reason").alias("quarantined")
    return rows.select("value", "origin", *fields, "reason", quarantined)


def newest(readings: DataFrame) -> DataFrame:
    """Good readings, each with a version that grows by time and then by sequence.

    The sink keeps the row with the highest version of each sensor. It is one number of 64 bits:
    milliseconds, then six digits of sequence. `deserialize` lets nothing through that is larger.
    """
    version = F.unix_millis("at") * F.lit(SEQUENCE_MAX + 1) + F.col("sequence")
    return readings.where(~F.col("quarantined")).select(
        "sensor", "at", "sequence", "reading", version.alias("version")
    )


def _origin(lines: DataFrame) -> Column:
    """The path of the file, or topic/partition/offset."""
    if "topic" in lines.columns:
        return F.concat_ws("/", "topic", _text("partition"), _text("offset"))
    return F.col("_metadata.file_path")


def _text(name: str) -> Column:
    return F.col(name).cast("string")


def _reason() -> Column:
    """Why a line is no reading; null where it is one. The first that fits is said."""
    line = F.trim(F.regexp_replace("line", r"[\r\t]", " "))
    in_time = (F.col("at") >= F.lit(FIRST_AT).cast("timestamp")) & (
        F.col("at") < F.lit(LAST_AT).cast("timestamp")
    )
    return (
        F.when(F.col("value").isNull(), "no line")
        .when(~F.is_valid_utf8("line"), "not UTF-8")
        .when(line == "", "empty line")
        # from_json takes the first of several values and is silent about the others.
        .when(~line.startswith("{"), "not a JSON object")
        .when(line.rlike(r"\}\s*\{"), "more than one object")
        .when(F.col("_corrupt").isNotNull(), "not JSON of the declared shape")
        .when(F.coalesce(F.col("sensor"), F.lit("")) == "", "no sensor")
        .when(F.col("at").isNull(), "no time")
        .when(~in_time, "time out of range")
        .when(F.col("sequence").isNull(), "no sequence")
        .when(~F.col("sequence").between(0, SEQUENCE_MAX), "sequence out of range")
        .when(F.col("reading").isNull() | F.isnan("reading"), "no reading")
    )
