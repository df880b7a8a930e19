"""The options of a sink that Spark itself writes, as its writer takes them."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.running.ports import NativeSink
from holdfast.errors import UsageError


def native_sink(kind: str, options: Mapping[str, Any], *, spark_format: str) -> NativeSink:
    """Split path and partition columns from what Spark's own writer is told."""
    rest = dict(options)
    path = rest.pop("path", None)
    if not isinstance(path, str) or not path.strip():
        raise UsageError(
            f"{kind} sink: option 'path' is missing", subject="sink", next_action="add path: …"
        )
    columns = rest.pop("partition_by", ())
    return NativeSink(
        format=spark_format,
        path=path,
        partition_by=(columns,) if isinstance(columns, str) else tuple(columns),
        options={name: str(value) for name, value in rest.items()},
    )
