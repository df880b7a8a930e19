"""A Delta table that does not exist yet, or does not have all columns yet."""

from dataclasses import replace

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType

from holdfast.adapters.sinks.delta_log import DeltaLog, SparkFailure
from holdfast.adapters.sinks.delta_merge import misfits, quoted, table_name
from holdfast.adapters.sinks.delta_options import DeltaSinkOptions
from holdfast.adapters.sinks.option_values import wrong
from holdfast.errors import UsageError


def create_table(
    spark: SparkSession, options: DeltaSinkOptions, schema: StructType, log: DeltaLog, shown: str
) -> None:
    """Create the table, empty; no error where somebody else just did.

    Not among other files: a VACUUM of the table would remove them.
    """
    other = log.other_file()
    if other is not None and not log.exists():
        raise UsageError(
            f"delta sink: the folder is no table and is not empty: it holds {other!r}",
            subject=shown,
            next_action="name a folder that is empty or not there",
        )
    ddl = spark._jsparkSession.parseDataType(schema.json()).toDDL()
    parts = ", ".join(map(quoted, options.partition_by))
    partitioned = f" PARTITIONED BY ({parts})" if parts else ""
    try:
        name = table_name(options.path)
        spark.sql(f"CREATE TABLE IF NOT EXISTS {name} ({ddl}) USING delta{partitioned}")
    except SparkFailure as error:
        if log.exists():
            return
        said = next((line for line in str(error).splitlines() if line.strip()), "")
        raise UsageError(
            f"delta sink: the table cannot be created: {said[:300]}",
            subject=shown,
            next_action="name a folder that is empty or not there, and check its permissions",
        ) from error


def add_columns(spark: SparkSession, options: DeltaSinkOptions, columns: StructType) -> None:
    """Add columns, null in the rows that are there; by a commit of their own.

    A batch that then does not go in leaves a column that holds nothing, and finds it at its replay.
    """
    ddl = spark._jsparkSession.parseDataType(columns.json()).toDDL()
    spark.sql(f"ALTER TABLE {table_name(options.path)} ADD COLUMNS ({ddl})")


def given_columns(options: DeltaSinkOptions) -> StructType:
    """The columns that the options give; raises UsageError where they are none."""
    try:
        schema = StructType.fromDDL(options.columns or "")
    except PySparkException as error:
        said = next((line for line in str(error).splitlines() if line.strip()), "")
        message = f"columns are no DDL: {said[:200]}"
        raise wrong("delta", message, "write columns: id long, name string") from error
    if not isinstance(schema, StructType):
        raise wrong("delta", "columns are no DDL", "write columns: id long, name string")
    lost = misfits(replace(options, tombstone=None), schema, None)
    if lost:
        raise wrong("delta", f"columns do not fit: {'; '.join(lost)}", "name the same columns")
    return schema


def nullable(schema: StructType) -> StructType:
    """The same columns, each of which may be null: that one batch has no null is no promise."""
    return StructType([StructField(field.name, field.dataType) for field in schema.fields])
