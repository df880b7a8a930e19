"""Find a sink by its kind: ours and other people's come in by the same door."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from holdfast.core.running.ports import BatchSink, NativeSink
from holdfast.errors import HoldfastError, NotInstalledError, UsageError

GROUP = "holdfast.sinks"


def sink_kinds() -> tuple[str, ...]:
    """Every kind that a declaration may name here."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def open_sink(kind: str, options: Mapping[str, Any]) -> NativeSink | BatchSink:
    """Make the sink of a kind from its options; raises UsageError where they cannot be right."""
    found = [point for point in entry_points(group=GROUP) if point.name == kind]
    if not found:
        raise UsageError(
            f"no sink of kind {kind!r} is installed",
            subject="sink",
            next_action=f"use one of {', '.join(sink_kinds())}, or install the package that has it",
        )
    opener = _load(found[0])
    try:
        sink: NativeSink | BatchSink = opener(options)
    except HoldfastError:
        raise
    except Exception as error:
        # Code of another package: whatever it raises is about the options we gave it.
        raise UsageError(
            f"the sink of kind {kind!r} cannot be made: {type(error).__name__}: {error}",
            subject=found[0].value,
            next_action="check the options of the sink",
        ) from error
    return sink


def _load(point: EntryPoint) -> Any:
    try:
        return point.load()
    except ImportError as error:
        extra = {"sql": "sql", "delta": "spark", "kafka": "kafka"}.get(point.name, "")
        line = f"pip install 'holdfast[{extra}]'" if extra else f"install {error.name}"
        raise NotInstalledError(
            f"the sink of kind {point.name!r} needs {error.name or error}",
            subject=point.value,
            next_action=line,
        ) from error
    except AttributeError as error:
        raise UsageError(
            f"the entry point of the sink {point.name!r} leads nowhere: {error}",
            subject=point.value,
            next_action="mend the package that declares it",
        ) from error
