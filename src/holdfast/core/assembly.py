"""From names and contents to a Checkpoint: every fact in its place, every oddity said."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.batch_log import written_now_and_then
from holdfast.core.checkpoint import Checkpoint, OperatorState, SourcePosition
from holdfast.core.fact import Absent, Content, Fact, Known, Unreadable, interpret
from holdfast.core.finding import Finding
from holdfast.core.formats.commit_log import parse_commit_entry
from holdfast.core.formats.offset_log import OffsetEntry, parse_offset_entry
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.history import History
from holdfast.core.inspection import inspect
from holdfast.core.microbatch import Mode, Traces, in_flight, what_will_restart_do, where_did_it_die
from holdfast.core.offsets.rate import is_continuous_rate
from holdfast.core.offsets.registry import interpret_offset
from holdfast.core.operators import read_operators, written_partitions
from holdfast.core.parts import METADATA, PartCheck, part_sizes
from holdfast.core.pinned_conf import partitions_of
from holdfast.core.source_traces import source_directories, traces_of
from holdfast.core.state.layout import OperatorFiles
from holdfast.core.survey import Survey
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
    previous = newest - 1 if newest else None
    previous_plan = plan_of(found, gathered.contents, previous)
    commit_path = _log_path(found.commits.directory, found.commits.last)
    commit = interpret(commit_path, gathered.contents.get(commit_path), parse_commit_entry)
    operators = read_operators(found, gathered.contents, gathered.history, _partitions(plan))
    sources = source_positions(found, gathered.contents, plan)
    traces = _traces(found, plan, operators, _mode(sources))
    metadata = gathered.contents.get(METADATA)
    query_id = interpret(METADATA, metadata, parse_query_metadata)
    checkpoint = Checkpoint(
        location=found.tree.location,
        query_id=query_id,
        offsets=found.offsets,
        commits=found.commits,
        plan=plan,
        previous_plan=previous_plan,
        commit=commit,
        sources=sources,
        previous_sources=source_positions(found, gathered.contents, previous_plan),
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
    directories = set(source_directories(found.tree))
    result = []
    for line in plan.value.sources:
        directory = line.name if line.name in directories else str(line.position)
        traces = traces_of(found.tree, directory, contents)
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
    now_and_then = written_now_and_then(found.offsets, found.commits)
    return Traces(
        planned=newest,
        committed=found.commits.last,
        predecessor_planned=predecessor or now_and_then,
        written_now_and_then=now_and_then,
        plan_unfinished=newest is not None and found.offsets.unfinished(newest + 1),
        commit_unfinished=newest is not None and found.commits.unfinished(newest),
        state_written=written,
        state_expected=expected,
        plan_readable=not isinstance(plan, Unreadable | Absent),
        mode=mode,
    )


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
