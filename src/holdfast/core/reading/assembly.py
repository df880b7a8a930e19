"""From names and contents to a Checkpoint: every fact in its place, every oddity said."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from holdfast.core.batch_log import predecessor, written_now_and_then
from holdfast.core.checkpoint import Checkpoint, OperatorState, SourcePosition, done_through
from holdfast.core.fact import Absent, Content, Fact, Known, Unreadable, interpret
from holdfast.core.finding import Finding
from holdfast.core.formats.commit_log import parse_commit_entry
from holdfast.core.formats.offset_log import OffsetEntry, parse_offset_entry
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.microbatch import (
    Identity,
    Mode,
    Traces,
    in_flight,
    what_will_restart_do,
    where_did_it_die,
)
from holdfast.core.offsets.kind import SourceTrace
from holdfast.core.offsets.rate import is_continuous_rate
from holdfast.core.offsets.registry import interpret_offset
from holdfast.core.parts import METADATA, PartCheck, part_sizes
from holdfast.core.pinned_conf import partitions_of
from holdfast.core.reading.history import History
from holdfast.core.reading.inspection import inspect
from holdfast.core.reading.operators import read_operators, written_partitions
from holdfast.core.reading.source_traces import source_directories, traces_of
from holdfast.core.reading.survey import Survey
from holdfast.core.state.layout import OperatorFiles
from holdfast.core.tree import FileStat


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was read for one look: the essential files, and what checking many gathered."""

    contents: Mapping[str, Content]
    history: History
    stats: Mapping[str, FileStat]
    notes: tuple[Finding, ...] = ()


def assemble(found: Survey, gathered: Gathered) -> Checkpoint:
    """Put together everything that was found."""
    plan = plan_of(found, gathered.contents, found.offsets.last)
    newest = found.offsets.last
    stateful = bool(found.operators)
    previous = (
        predecessor(found.offsets, found.commits, newest, stateful=stateful) if newest else None
    )
    previous_plan = plan_of(found, gathered.contents, previous)
    commit_path = _log_path(found.commits.directory, found.commits.last)
    commit = interpret(commit_path, gathered.contents.get(commit_path), parse_commit_entry)
    operators = read_operators(found, gathered.contents, gathered.history, _partitions(plan))
    sources = source_positions(found, gathered.contents, plan)
    metadata = gathered.contents.get(METADATA)
    query_id = interpret(METADATA, metadata, parse_query_metadata)
    traces = replace(
        _traces(found, plan, operators, _mode(sources)),
        commit_readable=not isinstance(commit, Unreadable),
        identity=_identity(query_id),
        may_be_real_time=all(s.offset is None or s.offset.kind.may_be_real_time for s in sources),
        state_loadable=_newest_state_loadable(found, operators),
    )
    checkpoint = Checkpoint(
        location=found.tree.location,
        query_id=query_id,
        offsets=found.offsets,
        commits=found.commits,
        plan=plan,
        previous_plan=previous_plan,
        commit=commit,
        sources=sources,
        operators=operators,
        sizes=part_sizes(found.tree),
        checks=_checks(found, gathered.history),
        in_flight=in_flight(traces),
        death=where_did_it_die(traces),
        restart=what_will_restart_do(traces),
        committed_at_ms=_modified(gathered, commit_path),
        planned_at_ms=_modified(gathered, _log_path(found.offsets.directory, newest)),
        warnings=(),
    )
    return inspect(checkpoint, found, gathered.history, gathered.notes)


def plan_of(found: Survey, contents: Mapping[str, Content], batch: int | None) -> Fact[OffsetEntry]:
    """The plan of one batch."""
    path = _log_path(found.offsets.directory, batch)
    return interpret(path, contents.get(path), parse_offset_entry)


def source_positions(
    found: Survey, contents: Mapping[str, Content], plan: Fact[OffsetEntry]
) -> tuple[SourcePosition, ...]:
    """The sources of a plan with the meaning of their offsets."""
    if not isinstance(plan, Known):
        return ()
    directories = source_directories(found.tree)
    result = []
    for line in plan.value.sources:
        own = line.name if line.name in directories else str(line.position)
        # Spark 4.2.0 names the directories of named sources, but not the lines of a v1 log.
        named = (own,) if own in directories else tuple(d for d in directories if not d.isdigit())
        traces = frozenset[SourceTrace]().union(
            *(traces_of(found.tree, directory, contents) for directory in named)
        )
        offset = None if line.text is None else interpret_offset(line.text, traces)
        result.append(SourcePosition(position=line.position, name=line.name, offset=offset))
    return tuple(result)


def _traces(
    found: Survey, plan: Fact[OffsetEntry], operators: tuple[OperatorState, ...], mode: Mode
) -> Traces:
    newest = found.offsets.last
    recent = set(found.offsets.ids[-2:])
    written, expected = written_partitions(operators, newest)
    predecessor = not newest or newest - 1 in recent
    stateful = bool(found.operators)
    now_and_then = written_now_and_then(found.offsets, found.commits, stateful=stateful)
    return Traces(
        planned=newest,
        committed=found.commits.last,
        predecessor_planned=predecessor or now_and_then,
        written_now_and_then=now_and_then,
        plan_unfinished=newest is None and bool(found.offsets.temporary),
        commit_left=newest is None and bool(found.commits.temporary),
        commit_unfinished=newest is not None and found.commits.unfinished(newest),
        state_written=written,
        state_expected=expected,
        plan_readable=not isinstance(plan, Unreadable | Absent),
        mode=mode,
    )


def _identity(query_id: Fact[str]) -> Identity:
    if isinstance(query_id, Known):
        return "known"
    return "missing" if isinstance(query_id, Absent) else "unreadable"


def _newest_state_loadable(found: Survey, operators: tuple[OperatorState, ...]) -> bool:
    newest = done_through(found.offsets, found.commits)
    return newest is None or all(o.loadable and o.loadable[-1][1] == newest for o in operators)


def _mode(sources: tuple[SourcePosition, ...]) -> Mode:
    continuous = any(s.offset is not None and is_continuous_rate(s.offset.value) for s in sources)
    return "continuous" if continuous else "micro-batch"


def _partitions(plan: Fact[OffsetEntry]) -> int | None:
    return partitions_of(plan.value.conf) if isinstance(plan, Known) else None


def _checks(found: Survey, history: History) -> dict[str, PartCheck]:
    files = {
        METADATA: int(found.has_metadata),
        "offsets": len(found.offsets.ids),
        "commits": len(found.commits.ids),
        "sources": sum(
            not name.startswith(".") and not name.endswith(".crc")
            for directory in found.tree.below("sources")
            for name in directory.names
        ),
        "state": sum(_state_files(operator) for operator in found.operators),
    }
    return {part: history.part_check(part, count) for part, count in files.items() if count}


def _state_files(operator: OperatorFiles) -> int:
    described = len(operator.metadata_v2) + bool(operator.metadata_v1) + len(operator.schema_files)
    return sum(operator.kind_counts.values()) + described


def _modified(gathered: Gathered, path: str) -> int | None:
    stat = gathered.stats.get(path)
    return stat.modified_ms if stat else None


def _log_path(directory: str, batch: int | None) -> str:
    return f"{directory}/{batch}" if batch is not None else directory
