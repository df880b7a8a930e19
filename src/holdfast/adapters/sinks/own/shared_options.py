"""The options that every target of the user's own has, checked at the door."""

from collections.abc import Mapping
from typing import Any

from holdfast.adapters.sinks.option_values import require_text, true_or_false, wrong
from holdfast.adapters.sinks.own.sink import OwnOptions
from holdfast.adapters.sinks.own.trial import TrialTemplate

SHARED = ("name", "chunk_rows", "attempts", "remembers", "guarantee", "trial")

CHUNK_ROWS = 1_000
CHUNK_ROWS_MAX = 100_000
"""A chunk is held in memory, as Python values and as what is sent."""
ATTEMPTS = 5
ATTEMPTS_MAX = 20
"""Waits double up to half a minute: twenty are eight minutes, in which no batch ends."""


def shared_options(
    kind: str,
    options: Mapping[str, Any],
    *,
    name: str,
    can_be_asked: bool,
    in_trials: tuple[str, ...],
) -> OwnOptions:
    """From the options of a declaration; raises UsageError that names the wrong one."""
    require_text(kind, {n: v for n, v in options.items() if v is not None}, ("name", "guarantee"))
    given = options.get("name") or name
    if not given.strip() or given.startswith("."):
        raise wrong(kind, f"name cannot be {given!r}", "give it a name that begins with a letter")
    remembers = options.get("remembers")
    found = OwnOptions(
        name=given,
        chunk_rows=_whole(kind, "chunk_rows", options, CHUNK_ROWS, CHUNK_ROWS_MAX),
        attempts=_whole(kind, "attempts", options, ATTEMPTS, ATTEMPTS_MAX),
        remembers=remembers is not None and true_or_false(kind, "remembers", remembers),
        can_be_asked=can_be_asked,
        trial=TrialTemplate.parse(kind, options.get("trial"), in_trials),
    )
    match options.get("guarantee"):
        case None | "at-least-once":
            return found
        case "exactly-once":
            if found.guarantee != "exactly-once":
                raise wrong(
                    kind,
                    "exactly once cannot be had from this target",
                    "add remembers: true if it tells repeated tokens, or say at-least-once",
                )
            return found
    raise wrong(
        kind,
        f"guarantee cannot be {options['guarantee']!r}",
        "use exactly-once or at-least-once",
    )


def _whole(kind: str, name: str, options: Mapping[str, Any], default: int, highest: int) -> int:
    value = options.get(name)
    if value is None:
        return default
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if isinstance(value, bool | float) or not 1 <= number <= highest:
        raise wrong(kind, f"{name} cannot be {value!r}", f"use a number from 1 to {highest}")
    return number
