"""The journal of operations: who did what to a checkpoint, when, why, and how far it came.

    journal/<operation>.plan             the plan, byte for byte; created exclusively
    journal/<operation>.001.begin        a pass over its steps: direction, who, when, why, epoch
    journal/<operation>.001.002.intent   before its step 2 changes anything
    journal/<operation>.001.002.done     after that was read back
    journal/<operation>.001.end          all steps of the pass are done

The first pass does the steps in order, an undo is a pass that undoes them in reverse, an undo of
that is a pass that does them again. Files are created exclusively and never changed, so the newest
pass and its end tell everything. An operation whose newest pass has no end is open: nothing else
may be done to its checkpoint, and no query may start on it, until it is continued or undone.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from holdfast.core.formats.json_text import decode_object, integer, text_field
from holdfast.core.plans.ports import Direction
from holdfast.errors import MalformedError

FOLDER: Final = "journal"
_NAME = re.compile(
    r"^(?P<operation>[0-9a-f]{12})\.(?:(?P<plan>plan)|(?P<number>\d{3})\.(?:(?P<mark>begin|end)"
    r"|(?P<step>\d{3})\.(?P<state>intent|done)))$"
)
_WHAT: Final = "the journal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """How a pass began."""

    direction: Direction
    user: str
    host: str
    at_ms: int
    reason: str
    epoch: int
    operation: str
    """Its kind: replay, reset and so on."""
    last_batch: int | None
    """The newest batch that counts as finished once the steps are done; None: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass over the steps of an operation, as the names in the journal tell."""

    number: int
    intents: frozenset[int] = frozenset()
    done: frozenset[int] = frozenset()
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Journalled:
    """One operation in the journal."""

    operation: str
    has_plan: bool
    passes: tuple[Pass, ...]

    @property
    def is_open(self) -> bool:
        """Whether it stopped half-way: begun, and its newest pass has no end."""
        return bool(self.passes) and not self.passes[-1].ended

    @property
    def last(self) -> Pass | None:
        """The newest pass."""
        return self.passes[-1] if self.passes else None


def plan_name(operation: str) -> str:
    """Where its plan is kept."""
    return f"{FOLDER}/{operation}.plan"


def begin_name(operation: str, number: int) -> str:
    """Where a pass is begun."""
    return f"{FOLDER}/{operation}.{number:03d}.begin"


def end_name(operation: str, number: int) -> str:
    """Where its end is noted."""
    return f"{FOLDER}/{operation}.{number:03d}.end"


def intent_name(operation: str, number: int, step: int) -> str:
    """Where it is noted that a step may have begun; steps count from 1."""
    return f"{FOLDER}/{operation}.{number:03d}.{step:03d}.intent"


def done_name(operation: str, number: int, step: int) -> str:
    """Where it is noted that a step is done."""
    return f"{FOLDER}/{operation}.{number:03d}.{step:03d}.done"


def read_names(names: Iterable[str]) -> Mapping[str, Journalled]:
    """All operations of a journal, from one listing of it."""
    plans: set[str] = set()
    marks: dict[str, dict[int, dict[str, set[int]]]] = {}
    for name in names:
        match = _NAME.match(name)
        if match is None:
            continue
        operation = match["operation"]
        passes = marks.setdefault(operation, {})
        if match["plan"]:
            plans.add(operation)
            continue
        found = passes.setdefault(int(match["number"]), {})
        found.setdefault(match["mark"] or match["state"], set()).add(int(match["step"] or 0))
    return {
        operation: Journalled(
            operation=operation,
            has_plan=operation in plans,
            passes=tuple(
                Pass(
                    number=number,
                    intents=frozenset(found.get("intent", ())),
                    done=frozenset(found.get("done", ())),
                    ended="end" in found,
                )
                for number, found in sorted(passes.items())
                if "begin" in found
            ),
        )
        for operation, passes in marks.items()
    }


def open_operation(names: Iterable[str]) -> Journalled | None:
    """The operation that stopped half-way; there is at most one."""
    return next((each for each in read_names(names).values() if each.is_open), None)


def write_begin(begin: Begin) -> bytes:
    """The file of a begin."""
    return json.dumps({"format": 1, **asdict(begin)}, indent=1).encode() + b"\n"


def read_begin(data: bytes) -> Begin:
    """Read it; raises MalformedError."""
    try:
        values = decode_object(data.decode(), _WHAT)
    except UnicodeDecodeError as error:
        raise MalformedError(f"{_WHAT} is not UTF-8") from error
    direction = text_field(values, "direction", _WHAT)
    if direction not in ("do", "undo"):
        raise MalformedError(f"{_WHAT}: 'direction' is neither do nor undo")
    return Begin(
        direction="do" if direction == "do" else "undo",
        user=text_field(values, "user", _WHAT),
        host=text_field(values, "host", _WHAT),
        at_ms=integer(values, "at_ms", _WHAT),
        reason=text_field(values, "reason", _WHAT),
        epoch=integer(values, "epoch", _WHAT),
        operation=text_field(values, "operation", _WHAT),
        last_batch=None
        if values.get("last_batch") is None
        else integer(values, "last_batch", _WHAT),
    )
