"""What died where, and what a restart does: the rules of populateStartOffsets as a table."""

import pytest

from holdfast.core.microbatch import (
    STEPS,
    Traces,
    in_flight,
    what_will_restart_do,
    where_did_it_die,
)


@pytest.mark.parametrize(
    ("planned", "committed", "flying", "kind", "batch"),
    [
        (None, None, None, "fresh", 0),
        (None, 3, None, "rerun-then-fail", 0),
        (0, None, 0, "rerun", 0),
        (5, None, 5, "rerun", 5),
        (5, 5, None, "next", 6),
        (5, 4, 5, "rerun", 5),
        (5, 2, 5, "rerun", 5),
        (5, 7, None, "rerun-then-fail", 5),
    ],
)
def test_a_restart_begins_where_spark_begins(
    planned: int | None, committed: int | None, flying: int | None, kind: str, batch: int | None
) -> None:
    traces = Traces(planned=planned, committed=committed)
    restart = what_will_restart_do(traces)
    assert in_flight(traces) == flying
    assert (restart.kind, restart.batch) == (kind, batch)
    assert (where_did_it_die(traces) is None) == (flying is None)


def test_a_first_plan_that_was_cut_off_is_not_called_fresh() -> None:
    restart = what_will_restart_do(Traces(planned=None, committed=None, plan_unfinished=True))
    assert (restart.kind, restart.batch) == ("refused", 0)
    assert "Spark 4.1 and newer refuse" in restart.text
    assert "unless in real-time mode" in restart.text


def test_a_first_commit_that_was_cut_off_is_not_called_fresh_either() -> None:
    before = Traces(planned=0, committed=None, commit_unfinished=True, may_be_real_time=True)
    assert "forgets that plan and then refuses to start" in what_will_restart_do(before).text
    after = what_will_restart_do(Traces(planned=None, committed=None, commit_left=True))
    assert (after.kind, after.batch) == ("refused", 0)
    assert "Spark 4.1 and newer refuse" in after.text


def test_commits_that_trail_far_are_said_to_be_taken_as_done() -> None:
    text = what_will_restart_do(Traces(planned=5, committed=2)).text
    assert "Batches 3 to 4 have no commit and are taken as done" in text
    text = what_will_restart_do(Traces(planned=5, committed=3)).text
    assert "Batch 4 has no commit and is taken as done" in text


def test_a_missing_predecessor_or_unreadable_plan_refuses_a_restart() -> None:
    gone = what_will_restart_do(Traces(planned=5, committed=4, predecessor_planned=False))
    torn = what_will_restart_do(Traces(planned=5, committed=4, plan_readable=False))
    assert gone.kind == torn.kind == "refused"
    assert "offsets/4" in gone.text and "offsets/5" in torn.text


@pytest.mark.parametrize(
    ("traces", "words"),
    [
        (Traces(planned=5, committed=5, commit_readable=False), "commits/5"),
        (Traces(planned=5, committed=5, state_loadable=False), "state"),
        (Traces(planned=5, committed=5, identity="unreadable"), "metadata"),
    ],
)
def test_what_no_spark_gets_past_is_said_before_anything_else(traces: Traces, words: str) -> None:
    restart = what_will_restart_do(traces)
    assert (restart.kind, restart.batch) == ("refused", 6)
    assert words in restart.text


def test_real_time_mode_is_said_where_it_cannot_be_ruled_out() -> None:
    text = what_will_restart_do(Traces(planned=5, committed=4, may_be_real_time=True)).text
    assert "In real-time mode Spark forgets that plan" in text
    done = what_will_restart_do(Traces(planned=5, committed=5, may_be_real_time=True)).text
    assert "In real-time mode rows that left after batch 5 leave once more" in done
    assert "real-time" not in what_will_restart_do(Traces(planned=5, committed=5)).text


def test_missing_metadata_depends_on_the_version() -> None:
    restart = what_will_restart_do(Traces(planned=5, committed=5, identity="missing"))
    assert restart.batch == 6
    assert "Spark 4.2 and newer refuse" in restart.text


@pytest.mark.parametrize("committed", [None, 4, 5])
def test_continuous_mode_begins_a_new_epoch_after_the_newest_plan(committed: int | None) -> None:
    restart = what_will_restart_do(Traces(planned=5, committed=committed, mode="continuous"))
    assert (restart.kind, restart.batch) == ("next", 6)


@pytest.mark.parametrize(("committed", "kind"), [(8, "next"), (5, "rerun")])
def test_asynchronous_progress_depends_on_the_option(committed: int, kind: str) -> None:
    restart = what_will_restart_do(
        Traces(planned=8, committed=committed, written_now_and_then=True)
    )
    assert restart.kind == kind
    assert "switched off" in restart.text


@pytest.mark.parametrize(
    ("written", "expected", "unfinished", "after", "words"),
    [
        (None, None, False, "plan", "after the plan, before the commit"),
        (0, 4, False, "plan", "before any partition wrote"),
        (3, 4, False, "plan", "3 of 4 partitions"),
        (4, 4, False, "state", "all state was written"),
        (4, 4, True, "sink", "the commit was being written"),
    ],
)
def test_state_files_tell_how_far_the_batch_got(
    written: int | None, expected: int | None, unfinished: bool, after: str, words: str
) -> None:
    death = where_did_it_die(
        Traces(
            planned=7,
            committed=6,
            state_written=written,
            state_expected=expected,
            commit_unfinished=unfinished,
        )
    )
    assert death is not None
    assert (death.batch, death.after) == (7, after)
    assert words in death.text


def test_the_table_has_each_crash_point_once_and_in_order() -> None:
    points = [point for step in STEPS for point in step.crash_points]
    assert points == [f"K{number}" for number in range(14)]
    assert [step.key for step in STEPS].index("plan") < [s.key for s in STEPS].index("commit")
