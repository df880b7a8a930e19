"""What a verdict holds for: this output, written by these versions, and looked at in this way."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """What ran; None where it is the program's own and nobody knows."""

    holdfast: str = ""
    python: str | None = None
    spark: str | None = None
    java: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What was audited, apart from its name."""

    sink: str = "unknown"
    """Kind and mode of the sink, or how the output of a program is read."""
    versions: Versions = field(default_factory=Versions)
    sees_halves: bool = False
    """Whether half a batch would have been seen on the way, not only a wrong end."""
    ignored: tuple[str, ...] = ()
    """Columns that were not compared because somebody said so."""
