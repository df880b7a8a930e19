"""What is wrong or odd about a checkpoint, said with code and path."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from holdfast.core.batch_log import written_now_and_then
from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Absent, Fact, Known, Unreadable
from holdfast.core.finding import Finding
from holdfast.core.formats.operator_metadata import StoreInfo
from holdfast.core.parts import METADATA
from holdfast.core.reading.history import History
from holdfast.core.reading.source_traces import missing_entries, source_directories
from holdfast.core.reading.survey import KNOWN_ENTRIES, Survey, is_delta_schema_log
from holdfast.core.state.layout import operator_ids

_ODDITIES_MAX = 20
_OR_SEAL = " or a seal"


def inspect(
    checkpoint: Checkpoint, found: Survey, history: History, notes: tuple[Finding, ...]
) -> Checkpoint:
    """Add every finding to a checkpoint, the heaviest first."""
    findings = [
        *notes,
        *history.warnings,
        *_about_facts(checkpoint),
        *_about_logs(checkpoint),
        *_about_sources(checkpoint, found, history),
        *_about_state(checkpoint),
        *_about_entries(found),
        *_about_checks(checkpoint, found, history),
    ]
    unique = {(w.code, w.path, w.message): w for w in findings}
    weight = {"error": 0, "warning": 1, "info": 2}
    ordered = sorted(unique.values(), key=lambda w: (weight[w.severity], w.code, w.path))
    return replace(checkpoint, warnings=tuple(ordered))


def _about_facts(checkpoint: Checkpoint) -> Iterator[Finding]:
    facts: list[Fact[Any]] = [
        checkpoint.query_id,
        checkpoint.plan,
        checkpoint.previous_plan,
        checkpoint.commit,
        *(operator.metadata for operator in checkpoint.operators),
    ]
    for fact in facts:
        if isinstance(fact, Unreadable):
            code = "HF102" if fact.code == "HF005" else "HF101"
            yield Finding(code=code, message=fact.reason, path=fact.origin)
    planned = checkpoint.offsets.ids or checkpoint.commits.ids
    if isinstance(checkpoint.query_id, Absent) and planned:
        text = (
            "metadata, which holds the query id, is gone: Spark 4.2 and newer refuse to start, "
            "older ones start under a new id, and a sink that remembers batches by id writes again"
        )
        yield Finding(code="HF106", message=text, path=METADATA)


def _about_logs(checkpoint: Checkpoint) -> Iterator[Finding]:
    offsets, commits = checkpoint.offsets, checkpoint.commits
    stateful = bool(checkpoint.operators)
    now_and_then = written_now_and_then(offsets, commits, stateful=stateful)
    for log in () if now_and_then else (offsets, commits):
        if log.missing_count:
            few = ", ".join(map(str, log.gaps(8)))
            more = f" and {log.missing_count - 8:,} more" if log.missing_count > 8 else ""
            yield Finding(
                code="HF104", message=f"no file for batch {few}{more}", path=log.directory
            )
    planned, committed = offsets.last, commits.last
    if planned is None:
        if committed is not None:
            yield Finding(code="HF109", message=checkpoint.restart.text, path="offsets")
        elif offsets.temporary:
            path = f"offsets/{offsets.temporary[0]}"
            yield Finding(code="HF132", message=checkpoint.restart.text, path=path)
        elif commits.temporary:
            path = f"commits/{commits.temporary[0]}"
            yield Finding(code="HF133", message=checkpoint.restart.text, path=path)
        return
    if now_and_then:
        text = (
            f"both logs lack the batch before the newest ({offsets.missing_count:,} missing "
            "in all): asynchronous progress tracking writes down only some"
        )
        yield Finding(code="HF127", message=text, path="offsets")
    elif planned > 0 and planned - 1 not in set(offsets.ids[-2:]):
        text = f"offsets/{planned - 1} is gone, and a restart needs it beside offsets/{planned}"
        yield Finding(code="HF110", message=text, path=f"offsets/{planned - 1}")
    if committed is not None and committed > planned:
        text = f"commits/ reaches batch {committed}, offsets/ only batch {planned}"
        yield Finding(code="HF107", message=text, path=f"commits/{committed}")
    before = offsets.before(planned) if now_and_then else planned - 1
    if committed is not None and before is not None and committed < before:
        text = (
            f"the newest commit is of batch {committed} and the newest plan of batch {planned}: "
            f"only batch {planned} is run again, those between are taken as done"
        )
        yield Finding(code="HF108", message=text, path=f"commits/{committed}")


def _about_sources(checkpoint: Checkpoint, found: Survey, history: History) -> Iterator[Finding]:
    for source in checkpoint.sources:
        offset = source.offset
        if offset and not offset.is_json and offset.text[0] in '{["-0123456789':
            text = f"the position of source {source.position} cannot be decoded"
            yield Finding(code="HF116", message=text, path=f"offsets/{checkpoint.offsets.last}")
    counts = history.sources_by_batch
    changed = [b for b in counts if b - 1 in counts and counts[b] != counts[b - 1]]
    for batch in sorted(changed)[-_ODDITIES_MAX:]:
        text = f"{counts[batch - 1]} sources before, {counts[batch]} from this batch on"
        yield Finding(code="HF117", message=text, path=f"offsets/{batch}")
    for path, location in list(history.delta_source_paths.items())[:1]:
        if not _is_below(checkpoint, location):
            text = f"Delta's schema log names {location}, not below here: Delta refuses to start"
            yield Finding(code="HF115", message=text, path=path)
    for name in source_directories(found.tree):
        missing = missing_entries(found.tree, name)
        if missing:
            few = ", ".join(map(str, missing[:8]))
            text = (
                f"entries {few} are gone; a file source reads every entry since its last .compact"
            )
            yield Finding(code="HF125", message=text, path=f"sources/{name}")


def _about_state(checkpoint: Checkpoint) -> Iterator[Finding]:
    newest = checkpoint.done_through
    if isinstance(checkpoint.commit, Known):
        there = {operator.files.operator_id for operator in checkpoint.operators}
        for missing in sorted(checkpoint.commit.value.state_unique_ids.keys() - there):
            text = "the newest commit names state files of this operator, and it is not there"
            yield Finding(code="HF126", message=text, path=f"state/{missing}")
    for operator in checkpoint.operators:
        path = f"state/{operator.files.operator_id}"
        if isinstance(operator.metadata, Known):
            yield from _moved(checkpoint, operator.metadata.value.stores, operator.metadata.origin)
        if newest is None:
            continue
        loadable = operator.loadable
        if not loadable or loadable[-1][1] != newest:
            text = f"the state after batch {newest} cannot be loaded from the files that are there"
            yield Finding(code="HF111", message=text, path=path)
        elif len(loadable) > 1:
            first, last = loadable[-1]
            text = f"without a break only batches {first} to {last} can be loaded"
            yield Finding(code="HF112", message=text, path=path)


def _moved(checkpoint: Checkpoint, stores: tuple[StoreInfo, ...], origin: str) -> Iterator[Finding]:
    for store in stores:
        for location in store.schema_locations:
            if not _is_below(checkpoint, location):
                text = f"names its schema by the absolute path {location}, which is not below here"
                yield Finding(code="HF115", message=text, path=origin)
                return


def _is_below(checkpoint: Checkpoint, location: str) -> bool:
    return plain_location(location).startswith(f"{plain_location(checkpoint.location)}/")


def plain_location(location: str) -> str:
    """A location without the differences of spelling between Hadoop and others."""
    for scheme in ("file:", "s3a:", "s3n:", "s3:"):
        if location.startswith(scheme):
            rest = location[len(scheme) :]
            slashes = "/" if scheme == "file:" else "s3:/"
            return slashes + rest.lstrip("/").rstrip("/")
    return location.rstrip("/")


def _about_entries(found: Survey) -> Iterator[Finding]:
    for oddity in found.tree.oddities[:_ODDITIES_MAX]:
        yield Finding(code="HF114", message=oddity.reason, path=oddity.path)
    temporary = [
        f"{log.directory}/{name}"
        for log in (found.offsets, found.commits)
        for name in log.temporary
    ]
    left = len(temporary) + sum(operator.temporary_files for operator in found.operators)
    if left:
        path = temporary[0] if temporary else "state"
        files = "1 temporary file" if left == 1 else f"{left} temporary files"
        text = f"{files} of unfinished writes"
        if found.offsets.last is not None:
            text += "; Spark ignores them"
        yield Finding(code="HF113", message=text, path=path)
    expected = {p.partition("/")[0] for p in found.tree.directories if is_delta_schema_log(p)}
    expected |= KNOWN_ENTRIES
    strangers = [name for name in found.tree.children("") if name not in expected]
    strangers += [
        f"{log.directory}/{name}" for log in (found.offsets, found.commits) for name in log.foreign
    ]
    for name in sorted(strangers)[:_ODDITIES_MAX]:
        text = "not an entry of a checkpoint; Spark ignores it"
        if name == "_spark_metadata":
            text = "the memory of a file sink: output and checkpoint share this folder"
        yield Finding(code="HF119", message=text, path=name)


def _about_checks(checkpoint: Checkpoint, found: Survey, history: History) -> Iterator[Finding]:
    bare = [part for part, check in checkpoint.checks.items() if check.status == "unverified"]
    if bare:
        names = ", ".join(part if part == METADATA else f"{part}/" for part in bare)
        counts = [checkpoint.checks[part] for part in bare]
        verified = sum(check.verified for check in counts)
        total = sum(check.files for check in counts)
        text = (
            f"{names}: {verified:,} of {total:,} files agree with a checksum"
            f"{_OR_SEAL if any(check.sealed for check in counts) else ''}, the rest unverified"
        )
        yield Finding(code="HF105", message=text)
    left_out = len(operator_ids(found.tree)) - len(checkpoint.operators)
    if left_out:
        text = f"{left_out:,} more operators were not looked at"
        yield Finding(code="HF121", message=text, path="state")
    if history.suppressed:
        yield Finding(code="HF121", message=f"{history.suppressed:,} more problems are not listed")
