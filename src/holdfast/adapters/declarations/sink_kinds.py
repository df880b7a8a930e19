"""Which kinds of sinks there are: our own, and those of installed packages."""

from importlib.metadata import entry_points

BUILT_IN = ("file", "sql", "delta")
GROUP = "holdfast.sinks"


def sink_kinds() -> tuple[str, ...]:
    """Every kind that a declaration may name here, our own first."""
    found = {point.name for point in entry_points(group=GROUP)}
    return (*BUILT_IN, *sorted(found - set(BUILT_IN)))
