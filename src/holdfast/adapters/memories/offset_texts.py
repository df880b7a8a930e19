"""Offsets of a mark of ours as texts: before the batch and after it."""

import json
from collections.abc import Mapping
from typing import Any, Final

CHARACTERS_MAX: Final = 20_000
"""Longer offsets are left off: those of a large topic, in hundreds of marks, are megabytes."""


def offset_texts(offsets: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Start and end, each None where the mark does not say it.

    A mark keeps the range of each source: {"0": {"start": …, "end": …}}.
    """
    return _side(offsets, "start"), _side(offsets, "end")


def _side(offsets: Mapping[str, Any], side: str) -> str | None:
    found = {
        source: said[side]
        for source, said in offsets.items()
        if isinstance(said, Mapping) and side in said
    }
    if not found:
        return None
    text = json.dumps(found, sort_keys=True, separators=(",", ":"))
    return text if len(text) <= CHARACTERS_MAX else None
