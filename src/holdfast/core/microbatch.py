"""The one table of a micro-batch: its steps in order, and what each leaves on storage.

"Where did it die", "what will a restart do", the crash points of the audit and the diagram in the
docs all come from here. Source: MicroBatchExecution.constructNextBatch, runBatch and
populateStartOffsets, Spark 2.1 to 4.3; ContinuousExecution for continuous mode.
"""

from dataclasses import dataclass, replace
from typing import Literal

StepKey = Literal["discover", "plan", "prepare", "state", "sink", "commit", "clean"]
Mode = Literal["micro-batch", "continuous"]
Identity = Literal["known", "missing", "unreadable"]
CrashPoint = Literal[
    "K0", "K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8",
    "K9", "K10", "K11", "K12", "K13", "K14", "K15", "K16", "K17",
]  # fmt: skip
RestartKind = Literal["fresh", "next", "rerun", "rerun-then-fail", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of batch N; leaves is the path it leaves, '' where nothing below the checkpoint."""

    key: StepKey
    does: str
    leaves: str
    crash_points: tuple[CrashPoint, ...]


STEPS: tuple[Step, ...] = (
    Step(
        key="discover",
        does="ask each source how far it reaches",
        leaves="sources/<n>/<id> (file source only)",
        crash_points=("K0", "K1"),
    ),
    Step(
        key="plan",
        does="write down the end position of every source",
        leaves="offsets/N",
        crash_points=("K2", "K3"),
    ),
    Step(
        key="prepare",
        does="check and write state schemas and operator metadata",
        leaves="state/<op>/_metadata, state/<op>/_stateSchema",
        crash_points=("K4",),
    ),
    Step(
        key="state",
        does="run the tasks; each partition writes the state after this batch",
        leaves="state/<op>/<partition>/N+1.*",
        crash_points=("K5", "K6"),
    ),
    Step(
        key="sink",
        does="hand the rows to the sink and wait for its word",
        leaves="",
        crash_points=("K7", "K8", "K9"),
    ),
    Step(
        key="commit",
        does="write down that the batch is done",
        leaves="commits/N",
        crash_points=("K10", "K11"),
    ),
    Step(
        key="clean",
        does="delete log entries and state that are older than the retention",
        leaves="",
        crash_points=("K12", "K13"),
    ),
)

CRASH_POINTS: dict[CrashPoint, str] = {
    "K0": "before anything of the batch is written",
    "K1": "sources asked, nothing planned",
    "K2": "plan written, not visible yet",
    "K3": "plan visible",
    "K4": "state schema half written",
    "K5": "some state written",
    "K6": "sink: some written",
    "K7": "sink: all written, not committed",
    "K8": "sink: commit sent, no answer yet",
    "K9": "sink: committed, batch not",
    "K10": "commit written, not visible yet",
    "K11": "commit visible",
    "K12": "old files being deleted",
    "K13": "state snapshot being written",
    "K14": "query being stopped",
    "K15": "batch without data",
    "K16": "real-time: rows out, nothing planned",
    "K17": "real-time: planned, not committed",
}
"""What has happened, and no more, when a process dies there. The last two are of real-time mode,
which plans a batch at its end: seen on Spark 4.2, a restart begins after the newest commit, deletes
a plan without one, and lets the rows of that batch out once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What a reader saw of the newest batch; None means that it could not be known."""

    planned: int | None
    committed: int | None
    predecessor_planned: bool = True
    written_now_and_then: bool = False
    """Both logs lack the same batches: asynchronous progress tracking writes only some."""
    commit_unfinished: bool = False
    plan_unfinished: bool = False
    """No plan is whole, and the writing of one left a temporary file in offsets/."""
    commit_left: bool = False
    """No plan and no commit, but the writing of a commit left a temporary file in commits/."""
    state_written: int | None = None
    state_expected: int | None = None
    plan_readable: bool = True
    commit_readable: bool = True
    state_loadable: bool = True
    identity: Identity = "known"
    may_be_real_time: bool = False
    """It cannot be ruled out: the logs are those of micro-batches, and so is their format."""
    mode: Mode = "micro-batch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """Where the newest batch stopped: the last step that surely happened, and what is unknown."""

    batch: int
    after: StepKey
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """What starting the query again would do."""

    kind: RestartKind
    batch: int | None
    text: str


def in_flight(traces: Traces) -> int | None:
    """The newest planned batch, if it has no commit."""
    if traces.planned is None:
        return None
    if traces.committed is None or traces.committed < traces.planned:
        return traces.planned
    return None


def where_did_it_die(traces: Traces) -> Death | None:
    """Say how far the batch in flight got; None when every planned batch is committed."""
    batch = in_flight(traces)
    if batch is None:
        return None
    if traces.commit_unfinished:
        text = "it died while the commit was being written, after the sink had returned"
        return Death(batch=batch, after="sink", text=text)
    written, expected = traces.state_written, traces.state_expected
    if not expected or written is None:
        text = "it died after the plan, before the commit"
        return Death(batch=batch, after="plan", text=text)
    if written == 0:
        text = "it died after the plan, before any partition wrote its state"
        return Death(batch=batch, after="plan", text=text)
    if written < expected:
        text = f"it died while state was written: {written} of {expected} partitions have it"
        return Death(batch=batch, after="plan", text=text)
    text = "it died in the sink, or between the sink and the commit: all state was written"
    return Death(batch=batch, after="state", text=text)


def what_will_restart_do(traces: Traces) -> Restart:
    """Say which batch a restart begins with, and whether Spark will begin at all."""
    planned, committed = traces.planned, traces.committed
    if planned is None:
        return _without_plan(traces)
    if traces.mode == "continuous":
        return _continuous(planned, committed)
    obstacle = _obstacle(traces, planned)
    if obstacle:
        batch = planned + 1 if committed == planned else planned
        return Restart(kind="refused", batch=batch, text=f"A restart fails: {obstacle}.")
    restart = _run(traces, planned, committed)
    if traces.identity == "missing":
        warning = (
            " But metadata is gone: Spark 4.2 and newer refuse to start, and older ones start "
            "under a new query id, which makes sinks that remember batches write them again."
        )
        return replace(restart, text=restart.text + warning)
    return restart


def _obstacle(traces: Traces, planned: int) -> str | None:
    """Say what every version of Spark would stumble over, None where it would start."""
    if traces.identity == "unreadable":
        return "metadata, which holds the query id, cannot be read"
    if not traces.plan_readable:
        return f"Spark needs offsets/{planned}, and it cannot be read"
    if not traces.commit_readable:
        return f"Spark needs commits/{traces.committed}, and it cannot be read"
    if not traces.predecessor_planned:
        return (
            f"Spark needs offsets/{planned - 1} beside offsets/{planned} to know where the batch "
            "begins, and it is gone"
        )
    if not traces.state_loadable:
        return "the state after the last finished batch cannot be loaded"
    return None


def _run(traces: Traces, planned: int, committed: int | None) -> Restart:
    if committed is not None and committed > planned:
        text = (
            f"A restart writes batch {planned} to the sink again and then fails: commits/ is ahead "
            f"of offsets/ (batch {committed}), which Spark takes for a second writer."
        )
        return Restart(kind="rerun-then-fail", batch=planned, text=text)
    if committed == planned:
        text = f"A restart goes on with batch {planned + 1}; nothing is done again."
        if traces.written_now_and_then:
            text = (
                f"A restart with asynchronous progress tracking still on goes on with batch "
                f"{planned + 1}; with it switched off Spark refuses to start."
            )
        elif traces.may_be_real_time:
            # Rows are out before anything is planned, so a kill leaves no trace of them here.
            text += f" In real-time mode rows that left after batch {planned} leave once more."
        return Restart(kind="next", batch=planned + 1, text=text)
    if traces.written_now_and_then:
        text = (
            f"A restart with asynchronous progress tracking still on runs batch {planned} again, "
            "perhaps with other rows in it; with it switched off Spark refuses to start."
        )
        return Restart(kind="rerun", batch=planned, text=text)
    text = (
        f"A restart runs batch {planned} again over exactly the same input, "
        f"then goes on with {planned + 1}."
    )
    if traces.may_be_real_time:
        text += _in_real_time(traces)
    if committed is not None and committed < planned - 1:
        between = f"{committed + 1} to {planned - 1}"
        if committed + 1 == planned - 1:
            text += f" Batch {planned - 1} has no commit and is taken as done."
        else:
            text += f" Batches {between} have no commit and are taken as done."
    return Restart(kind="rerun", batch=planned, text=text)


def _in_real_time(traces: Traces) -> str:
    """What a restart does with a plan that has no commit in real-time mode: seen on Spark 4.2."""
    if traces.planned == 0 and traces.commit_unfinished:
        return (
            " In real-time mode Spark forgets that plan and then refuses to start, for the "
            "temporary file in commits/."
        )
    return (
        " In real-time mode Spark forgets that plan instead and makes a new one, which may end "
        "elsewhere; rows that left leave once more."
    )


def _without_plan(traces: Traces) -> Restart:
    # MicroBatchExecution, verifyCheckpointDirectoryEmptyOnStart: any file counts.
    refusal = (
        "Spark 4.1 and newer refuse to start here by themselves; older ones, and `holdfast run`, "
        "begin with batch 0."
    )
    committed = traces.committed
    if committed is None and traces.plan_unfinished:
        text = (
            "The very first plan was cut off while it was written, and its temporary file stayed. "
            f"{refusal} Nothing was read or written yet, unless in real-time mode, where rows "
            "leave before the plan."
        )
        return Restart(kind="refused", batch=0, text=text)
    if committed is None and traces.commit_left:
        text = (
            "There is no plan, but a temporary file of the very first commit, as a killed query in "
            f"real-time mode leaves it after one restart. {refusal} Rows of that batch may be out, "
            "and leave once more."
        )
        return Restart(kind="refused", batch=0, text=text)
    if committed is None:
        text = "No batch was ever planned: a start begins with batch 0."
        return Restart(kind="fresh", batch=0, text=text)
    # Seen on real Spark (docs/matrix.md): 3.5 and 4.0 notice only at the commit.
    text = (
        "A restart fails: commits/ has batches and offsets/ has none. Spark 4.1 and newer refuse "
        "to start; older ones write a new batch 0 to the sink first."
    )
    return Restart(kind="rerun-then-fail", batch=0, text=text)


def _continuous(planned: int, committed: int | None) -> Restart:
    # ContinuousExecution.getStartOffsets: begin where the newest commit ended, under an epoch
    # number that was never planned; what was planned later is read again.
    start = "where the sources begin" if committed is None else f"where epoch {committed} ended"
    text = (
        f"This is continuous mode: a restart reads again from {start}, "
        f"as epoch {planned + 1}; rows after it may be written twice."
    )
    return Restart(kind="next", batch=planned + 1, text=text)
