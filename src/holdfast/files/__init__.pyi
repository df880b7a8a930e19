# What type checkers see of the readers; __init__.py loads these names when they are asked for.
from holdfast.files.reading import Published, duckdb_view, published

__all__ = ["Published", "duckdb_view", "published"]
