"""Files in a folder, written by Spark's own file sink.

The files of a batch appear together to whoever reads the folder with Spark: `_spark_metadata`
names them, by batch id alone. Other readers may see files of a batch that was given up.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.adapters.sinks.native_options import native_sink
from holdfast.core.running.ports import NativeSink


def open_sink(options: Mapping[str, Any]) -> NativeSink:
    """The entry point `file` of the group `holdfast.sinks`."""
    rest = dict(options)
    rest.pop("schema", None)  # what readers of this sink are told, nothing for Spark's writer
    spark_format = str(rest.pop("format", "parquet"))
    return native_sink("file", rest, spark_format=spark_format)
