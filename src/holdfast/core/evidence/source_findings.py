"""What is wrong, or soon will be, between a stored position and what its source still has."""

from collections.abc import Iterator

from holdfast.core.evidence.source_state import (
    PartState,
    SourceState,
    exchanged_topics,
    is_near,
    sameness,
)
from holdfast.core.fact import Known
from holdfast.core.finding import Finding

_PARTS_NAMED_MAX = 5


def source_findings(state: SourceState, now_ms: int) -> tuple[Finding, ...]:
    """Findings about one source, the worst first."""
    return (*_identity(state), *_positions(state), *_files(state), *_warnings(state, now_ms))


def _identity(state: SourceState) -> Iterator[Finding]:
    if sameness(state) != "other":
        return
    topics = exchanged_topics(state)
    if topics:
        names = _named(list(topics))
        text = (
            f"topic {names} was deleted and created again since the last run: the stored position "
            "is one of the old topic, and what the new one holds before it would never be read"
        )
    else:
        now, before = state.identity, state.stored_identity
        assert isinstance(now, Known) and isinstance(before, Known)
        text = f"the position belongs to table {before.value}, and this is table {now.value}"
    yield _finding("HF302", state, text)


def _positions(state: SourceState) -> Iterator[Finding]:
    unit = state.counts or "records"
    gone = [part for part in state.parts if part.lost]
    if gone:
        lost = sum(part.lost or 0 for part in gone)
        text = f"{lost:,} {unit} were removed before they were read{_of(gone)}"
        yield _finding("HF301", state, text)
    past = [part for part in state.parts if part.is_past_end]
    if past:
        first = past[0]
        text = f"the stored position {first.stored:,} lies past the end {first.latest:,}{_of(past)}"
        yield _finding("HF303", state, text)
    # Where files are gone, they are named by a finding of their own.
    other = [
        part
        for part in state.parts
        if part.stored_is_readable is False and not part.lost and not part.is_past_end
    ]
    if other and not state.needed_count:
        text = f"what the stored position points at is gone{_of(other)}"
        yield _finding("HF301", state, text)


def _files(state: SourceState) -> Iterator[Finding]:
    if state.needed_count:
        files = "1 file" if state.needed_count == 1 else f"{state.needed_count:,} files"
        names = _named([*state.missing, *state.altered])
        text = f"{files} that a restart will read are gone or were changed: {names}"
        yield _finding("HF304", state, text)
    elif state.missing_count or state.altered_count:
        text = (
            f"of the files that were read already, {state.missing_count:,} are gone and "
            f"{state.altered_count:,} were changed: a restart does not need them, a replay would"
        )
        yield _finding("HF307", state, text)


def _warnings(state: SourceState, now_ms: int) -> Iterator[Finding]:
    if state.problem is not None:
        yield _finding("HF305", state, f"it could not be asked: {state.problem.reason}")
    near = [part for part in state.parts if is_near(part, now_ms)]
    if near:
        text = f"less than a quarter of the retention time is left{_of(near)}"
        yield _finding("HF306", state, text)
    for note in state.notes:
        yield _finding("HF308", state, note)


def _of(parts: list[PartState]) -> str:
    names = [part.name for part in parts if part.name]
    return f" ({_named(names)})" if names else ""


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _PARTS_NAMED_MAX:,} more" if len(names) > _PARTS_NAMED_MAX else ""
    return ", ".join(names[:_PARTS_NAMED_MAX]) + more


def _finding(code: str, state: SourceState, text: str) -> Finding:
    where = f" ({state.where})" if state.where else ""
    return Finding(code=code, message=f"source {state.position}, {state.kind}{where}: {text}")
