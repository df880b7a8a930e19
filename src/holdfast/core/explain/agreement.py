"""What a checkpoint itself says to an explanation: it agrees, disagrees, or cannot tell.

Disagreement is said only where the checkpoint shows the opposite. What was not looked at, or what
only the source, the sink or another process could know, is never taken for a no.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.explain.agreement_state import (
    damage,
    no_state,
    operator_metadata,
    provider,
    state,
    state_directory,
    state_ids,
    stateful,
)
from holdfast.core.explain.say import Agreement, agrees, by_code, cannot_tell, disagrees
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.offsets.opaque import OPAQUE
from holdfast.core.pinned_conf import PARTITIONS, SOURCE_EVOLUTION, partitions_of

Check: TypeAlias = Callable[[Checkpoint], Agreement]


def torn_log(found: Checkpoint) -> Agreement:
    """A file of the logs that cannot be read."""
    broken = [f for f in (found.plan, found.commit) if isinstance(f, Unreadable)]
    if broken:
        return agrees(f"{broken[0].origin} cannot be read: {broken[0].reason}", "HF101")
    if (found_codes := by_code(found, "HF101", "HF116", "HF132")) is not None:
        return found_codes
    if isinstance(found.plan, Known):
        return disagrees("the newest plan can be read, and so can the newest commit, if any")
    return cannot_tell("no plan is there")


def hole(found: Checkpoint) -> Agreement:
    """A plan that is missing."""
    if (answer := by_code(found, "HF110", "HF127", "HF104")) is not None:
        return answer
    if isinstance(found.plan, Known):
        return disagrees("offsets/ has no gap, and the two newest plans are there")
    return cannot_tell("no plan is there")


def no_offsets(found: Checkpoint) -> Agreement:
    """Commits without plans."""
    if (answer := by_code(found, "HF109")) is not None:
        return answer
    if found.offsets.ids:
        return disagrees(f"offsets/ has plans up to batch {found.offsets.last}")
    return cannot_tell("neither log has an entry")


def commits_trail(found: Checkpoint) -> Agreement:
    """Commits that are more than one batch behind."""
    if (answer := by_code(found, "HF108", "HF127")) is not None:
        return answer
    return disagrees(_logs(found)) if found.offsets.ids else cannot_tell("no plan is there")


def metadata(found: Checkpoint) -> Agreement:
    """The query id."""
    match found.query_id:
        case Known():
            return disagrees("metadata is there and can be read")
        case Absent():
            return by_code(found, "HF106") or cannot_tell(
                "metadata is not there, and no batch was ever planned"
            )
        case Unreadable(reason=reason):
            return agrees(f"metadata is there and cannot be read: {reason}", "HF101")


def newer_version(found: Checkpoint) -> Agreement:
    """Formats that older releases of Spark refuse."""
    if (answer := by_code(found, "HF102")) is not None:
        return answer
    plan = found.plan.value.version if isinstance(found.plan, Known) else None
    commit = found.commit.value.version if isinstance(found.commit, Known) else None
    if plan is None and commit is None:
        return cannot_tell("neither a plan nor a commit could be read")
    said = f"offsets v{plan or '?'}, commits v{commit or '?'}"
    if (plan or 1) > 1 or (commit or 1) > 1:
        return agrees(f"{said}: older releases of Spark do not read that")
    return disagrees(f"{said}: every Spark reads that")


def _or_cannot_tell(check: Check) -> Check:
    """For what may have happened and left no trace: a no of the check is none."""

    def careful(found: Checkpoint) -> Agreement:
        answer = check(found)
        return cannot_tell(answer.says) if answer.status == "disagrees" else answer

    return careful


def in_flight(found: Checkpoint) -> Agreement:
    """A batch that was planned and not committed."""
    if found.in_flight is not None:
        return agrees(f"batch {found.in_flight} was planned and not committed: it will run again")
    if found.offsets.ids:
        return disagrees(f"no batch is in flight; the last one, {found.offsets.last}, is committed")
    return cannot_tell("no batch was ever planned")


def leftovers(found: Checkpoint) -> Agreement:
    """Temporary files of writes that were broken off."""
    if (answer := by_code(found, "HF113")) is not None:
        return answer
    return cannot_tell("no temporary file was left; a second driver leaves no other trace here")


def committed(found: Checkpoint) -> Agreement:
    """Whether any batch was committed."""
    if not found.commits.ids:
        return agrees("no batch was ever committed here")
    return disagrees(f"commits/ keeps batches {found.commits.first} to {found.commits.last}")


def repartition(found: Checkpoint) -> Agreement:
    """A newest plan with another number of partitions, and no commit."""
    if not (isinstance(found.plan, Known) and isinstance(found.previous_plan, Known)):
        return cannot_tell("the two newest plans could not both be read")
    now = partitions_of(found.plan.value.conf)
    before = partitions_of(found.previous_plan.value.conf)
    if found.in_flight is None:
        return disagrees("the newest batch is committed")
    if now is not None and before is not None and now != before:
        return agrees(f"batch {found.in_flight} changes {before} partitions to {now}, uncommitted")
    return disagrees("the two newest plans have the same number of partitions")


def two_writers(found: Checkpoint) -> Agreement:
    """Logs that explain the collision without a second driver."""
    if (answer := by_code(found, "HF107")) is not None:
        return agrees(
            f"{answer.says}. The logs alone explain it: no second driver is needed for this",
            *answer.findings,
        )
    return cannot_tell("the logs fit together; a second driver leaves no other trace here")


def not_empty(found: Checkpoint) -> Agreement:
    """What keeps a first start from beginning."""
    if (answer := by_code(found, "HF132", "HF133", "HF109")) is not None:
        return answer
    if found.offsets.ids:
        return disagrees(f"offsets/ has plans up to batch {found.offsets.last}")
    if found.operators:
        return agrees("no plan is there, and state/ has files")
    return cannot_tell("nothing of offsets/, commits/ and state/ is in the way now")


def sources(found: Checkpoint) -> Agreement:
    """How many sources the newest plan has."""
    if not isinstance(found.plan, Known):
        return cannot_tell("the newest plan could not be read")
    said = f"the newest plan has {len(found.plan.value.sources)} source(s)"
    if (answer := by_code(found, "HF117")) is not None:
        return agrees(f"{said}, and the number changed before: {answer.says}", "HF117")
    return cannot_tell(f"{said}; compare it with the number in the message")


def offset_version(found: Checkpoint) -> Agreement:
    """Whether the plans name their sources."""
    if not isinstance(found.plan, Known):
        return cannot_tell("the newest plan could not be read")
    version = found.plan.value.version
    if found.plan.value.conf.get(SOURCE_EVOLUTION) == "true":
        return disagrees(f"the plans are v{version} and pin named sources: they were on before")
    return agrees(f"the plans are v{version}, and named sources were off")


def pinned(found: Checkpoint) -> Agreement:
    """What the checkpoint pins."""
    if not isinstance(found.plan, Known) or PARTITIONS not in found.plan.value.conf:
        return cannot_tell("the newest plan does not say")
    return agrees(f"it pins {PARTITIONS} = {found.plan.value.conf[PARTITIONS]}")


def moved(found: Checkpoint) -> Agreement:
    """Stored paths that lead elsewhere."""
    return by_code(found, "HF115") or cannot_tell("no stored path that leads elsewhere was found")


def position(found: Checkpoint) -> Agreement:
    """Where the sources stand."""
    kinds = ", ".join(s.offset.kind.name for s in found.sources if s.offset is not None)
    if not kinds:
        return cannot_tell("no source has a position yet")
    return cannot_tell(f"it stands at a position of: {kinds}. Only the source can say more")


def next_batch(found: Checkpoint) -> Agreement:
    """The batch that comes next: to be held against what the sink remembers."""
    if found.restart.batch is None:
        return cannot_tell(found.restart.text)
    return cannot_tell(
        f"the next batch is {found.restart.batch}; if the sink remembers that number or a higher "
        "one, rows are dropped. Only the sink can say"
    )


def source_log(found: Checkpoint) -> Agreement:
    """The log of a file source."""
    return by_code(found, "HF125") or cannot_tell(
        "no file is missing from the log of a source here; _spark_metadata lies with the output"
    )


def has_work(found: Checkpoint) -> Agreement:
    """Whether batches were planned."""
    if found.offsets.ids:
        return agrees(f"offsets/ has plans up to batch {found.offsets.last}")
    return disagrees("no batch was ever planned here")


def sizes(found: Checkpoint) -> Agreement:
    """How large it is."""
    return cannot_tell(f"{found.file_count:,} files, {found.size_bytes:,} bytes")


def _of_kind(kind: Literal["kafka", "delta"]) -> Check:
    def check(found: Checkpoint) -> Agreement:
        # A source without a position, or with one that no kind knows, may be of any kind.
        kinds = {s.offset.kind.name if s.offset else OPAQUE.name for s in found.sources}
        if kinds and kind not in kinds and OPAQUE.name not in kinds:
            return disagrees(f"no source of this checkpoint is of kind {kind}")
        return position(found)

    return check


def _logs(found: Checkpoint) -> str:
    return f"offsets/ ends at {found.offsets.last}, commits/ at {found.commits.last}"


CHECKS: Final[Mapping[str, Check]] = {
    "torn-log": torn_log,
    "hole": hole,
    "no-offsets": no_offsets,
    "commits-trail": commits_trail,
    "metadata": metadata,
    "newer-version": newer_version,
    "in-flight": in_flight,
    "runs-again": _or_cannot_tell(in_flight),
    "maybe-torn": _or_cannot_tell(torn_log),
    "maybe-state": _or_cannot_tell(state),
    "maybe-newer": _or_cannot_tell(newer_version),
    "no-state": no_state,
    "leftovers": leftovers,
    "committed": committed,
    "repartition": repartition,
    "two-writers": two_writers,
    "not-empty": not_empty,
    "sources": sources,
    "offset-version": offset_version,
    "pinned": pinned,
    "moved": moved,
    "position": position,
    "kafka-position": _of_kind("kafka"),
    "delta-position": _of_kind("delta"),
    "next-batch": next_batch,
    "source-log": source_log,
    "has-work": has_work,
    "sizes": sizes,
    "state": state,
    "state-directory": state_directory,
    "format-2-in-flight": state_ids,
    "damage": damage,
    "stateful": stateful,
    "provider": provider,
    "operator-metadata": operator_metadata,
}
"""By the name that an explanation has in `check`."""


SEEN_BY_NAMES: Final = frozenset(
    ("HF104", "HF106", "HF107", "HF108", "HF109", "HF110", "HF132", "HF133")
)
"""Findings that the names of files decide, which are always looked at: not found is a no."""


def agreement(check: str, found: Checkpoint) -> Agreement:
    """What this checkpoint says to it; one of our own codes is looked for by itself."""
    if check in CHECKS:
        return CHECKS[check](found)
    if check.startswith("HF1"):
        said = f"{check} was not found in this checkpoint now"
        return by_code(found, check) or (
            disagrees(said) if check in SEEN_BY_NAMES else cannot_tell(said)
        )
    return cannot_tell("a checkpoint says nothing to this")
