"""What a progress event of Spark says, by Spark's own field names (StreamingQueryProgress).

Spark reports a batch once its commit is written. While there is nothing to do it reports now and
then under the id of the batch to come, without having run anything: an idle event.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

_BEHIND: Final = {
    # In the order of preference: what a source says of how much it has still to read.
    "maxOffsetsBehindLatest": "offsets",
    "avgOffsetsBehindLatest": "offsets",
    "numFilesOutstanding": "files",
    "numBytesOutstanding": "bytes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLag:
    """How far behind a source says it is, by the name of the metric that says so."""

    source: int
    metric: str
    counts: str
    amount: float


def batch_of(progress: Mapping[str, Any]) -> int | None:
    """The id of the batch, None where the event does not say it."""
    batch = progress.get("batchId")
    return batch if type(batch) is int and batch >= 0 else None


def is_idle(progress: Mapping[str, Any]) -> bool:
    """Whether no batch was run: no rows came, and nothing was handed to the sink."""
    durations = progress.get("durationMs")
    ran = isinstance(durations, Mapping) and "addBatch" in durations
    return not ran and not number(progress, "numInputRows")


def number(progress: Mapping[str, Any], name: str) -> float | None:
    """A number of an event, None where it is missing or no number."""
    return _as_number(progress.get(name))


def whole(progress: Mapping[str, Any], name: str) -> int | None:
    """A whole number of an event."""
    value = number(progress, name)
    return None if value is None else int(value)


def duration_ms(progress: Mapping[str, Any]) -> int | None:
    """How long the batch took from its trigger to its end."""
    durations = progress.get("durationMs")
    spent = durations.get("triggerExecution") if isinstance(durations, Mapping) else None
    value = _as_number(progress.get("batchDuration"))
    value = _as_number(spent) if value is None else value
    return None if value is None else int(value)


def began_ms(progress: Mapping[str, Any]) -> int | None:
    """When the batch began, by the clock of the driver."""
    text = progress.get("timestamp")
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return int(moment.timestamp() * 1000) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def lags(progress: Mapping[str, Any]) -> tuple[SourceLag, ...]:
    """How far behind each source says it is; nothing for a source that does not say."""
    found: list[SourceLag] = []
    sources = progress.get("sources")
    for position, source in enumerate(sources if isinstance(sources, list) else ()):
        metrics = source.get("metrics") if isinstance(source, Mapping) else None
        if not isinstance(metrics, Mapping):
            continue
        for metric, counts in _BEHIND.items():
            amount = _as_number(metrics.get(metric))
            if amount is not None:
                found.append(
                    SourceLag(source=position, metric=metric, counts=counts, amount=amount)
                )
                break
    return tuple(found)


def by_batch(events: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """The last event of each batch that was run; idle events are left out."""
    result: dict[int, Mapping[str, Any]] = {}
    for event in events:
        batch = batch_of(event)
        if batch is not None and not is_idle(event):
            result[batch] = event
    return result


def _as_number(value: Any) -> float | None:
    """A number, also as text: the metrics of sources are a map of strings."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if found - found == 0 else None  # neither NaN nor infinite
