"""What lies around a checkpoint: who holds it, what our records remember, what is to be started."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.fact import Absent, Fact
from holdfast.core.goal import OutputFate
from holdfast.core.running.state_shape import StateShape


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Something odd that the reading of the checkpoint came upon, by its code."""

    code: str
    severity: str
    message: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who has the lease."""

    epoch: int
    host: str
    pid: int
    since_ms: int
    is_alive: bool | None
    """None where this machine cannot tell: it is another host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What our records say of the query that this checkpoint belongs to."""

    job: Fact[str]
    query_id: Fact[str]
    location: Fact[str]
    is_elsewhere: bool
    """Whether the records were made for another place than this one."""
    last_batch: int | None
    """The newest batch that surely was finished."""
    runs: int
    open_operation: str | None = None
    """An operation on the checkpoint that stopped half-way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySource:
    """One source of a query, in the order in which the checkpoint counts them."""

    position: int
    provider: str
    options: Mapping[str, str]
    """By Spark's own names, secrets removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a query is made of: as it last ran, or as it is to be started."""

    origin: str
    sources: tuple[QuerySource, ...]
    stateful: tuple[str, ...] | None
    """Stateful operators with the columns they go by; None where nobody analysed the plan."""
    output_mode: str | None
    sink_kind: str | None
    sink_place: str | None
    """Where it writes to, without credentials."""
    transform: str | None
    trigger: str | None
    unpinned: Mapping[str, str]
    """Settings that state depends on and that the checkpoint does not pin."""
    pinned: Mapping[str, str]
    """Settings of the session that the checkpoint pins, and so overrides."""
    spark: str | None
    """Version, such as 4.2.0."""
    code_revision: str | None
    shapes: tuple[StateShape, ...] | None = None
    """What each stateful operator keeps; None where nobody analysed the plan for it."""


NOT_LOOKED_AT = Absent("not looked at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What somebody means to do beyond a plain start; verdicts on other goals need it."""

    from_batch: int | None = None
    """Replay: the first batch that is to be done again."""
    output: OutputFate | None = None
    """Reset: what becomes of what was written."""


PLAIN_START = Intent()
