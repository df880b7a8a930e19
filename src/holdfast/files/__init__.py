"""The public door to tables of the sink `files`: what is published, and views over it."""

from holdfast.lazy_names import lazy_names as _lazy_names

__all__ = ["Published", "duckdb_view", "published"]

__getattr__ = _lazy_names(
    __name__,
    {
        "Published": "holdfast.files.reading",
        "duckdb_view": "holdfast.files.reading",
        "published": "holdfast.files.reading",
    },
)
