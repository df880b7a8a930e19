"""Every change, by its name."""

from scripts.truth.changes import code, logs, places, sinks, sources, state
from scripts.truth.changes.change import Change

CATALOGUE: tuple[Change, ...] = (
    *logs.CHANGES,
    *places.CHANGES,
    *state.CHANGES,
    *sinks.CHANGES,
    *sources.CHANGES,
    *code.CHANGES,
)
