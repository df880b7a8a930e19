"""A fact is known, absent or unreadable; there is no None that means three things."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from holdfast.errors import CheckpointError, HoldfastError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Known(Generic[T]):
    """A value, and the file (relative to the checkpoint) that says so."""

    value: T
    origin: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Nothing is stored where this fact would be."""

    origin: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something is stored there, and it could not be read."""

    origin: str
    reason: str
    code: str


Fact: TypeAlias = Known[T] | Absent | Unreadable
Content: TypeAlias = bytes | HoldfastError | None
"""What a storage gave for one name: its bytes, why they could not be had, or None: no such file."""


def interpret(origin: str, content: Content, parse: Callable[[bytes], T]) -> Fact[T]:
    """Turn what a storage gave into a fact; a parser may only raise CheckpointError."""
    if content is None:
        return Absent(origin)
    if isinstance(content, HoldfastError):
        return Unreadable(origin, content.message, content.code)
    try:
        return Known(parse(content), origin)
    except CheckpointError as error:
        return Unreadable(origin, error.message, error.code)
