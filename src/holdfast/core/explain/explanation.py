"""One explanation: what an error means, what to look at, whether trying again can help."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Retry = Literal["helps", "may help", "does not help", "makes it worse"]
Strength = Literal["error", "sign", "wrapper"]
"""An error ends a query; a sign is a line of a log or a symptom; a wrapper only carries another."""

GAP = "…"
"""In a fragment: anything, on the same line or, in a short text, a few words further on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Something that people are told to do, and what it would do."""

    id: str
    advice: str
    does: Mapping[str, str]
    """By sink, as core/explain/sink.py names them; `any` where the sink makes no difference."""
    instead: str
    fragments: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What one error, or one family of errors with the same cure, means."""

    id: str
    title: str
    cause: str
    look_at: tuple[str, ...]
    retry: Retry
    retry_why: str
    next_commands: tuple[str, ...]
    """To be typed; CHECKPOINT stands for the checkpoint where none was named."""
    harmful: tuple[Advice, ...] = ()
    fragments: tuple[str, ...] = ()
    """Words of the message, in lower case; any of them is enough."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Names of error conditions, each with what this very one says; `X*` is a family of names."""
    check: str = ""
    """What a checkpoint can say to it: a name in core/explain/agreement.py, '' where nothing."""
    check_of: Mapping[str, str] = field(default_factory=dict)
    """The same for single names to which a checkpoint says something else."""
    strength: Strength = "error"
