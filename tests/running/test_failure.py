"""Why a query ended, read out of what Spark says."""

import logging

import pytest

from holdfast.adapters.spark import session
from holdfast.core.running.backoff import WAIT_S_MAX, wait_s
from holdfast.core.running.failure import cause_line, is_interruption, of_error, of_text
from holdfast.errors import FencedError, RefusedError, UnreachableError

NESTED = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times
Caused by: org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.taskFailed(QueryExecutionErrors.scala:1)
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
\t... 34 more"""


@pytest.mark.parametrize(
    "text",
    [
        NESTED,
        "Caused by: java.net.ConnectException: Connection refused",
        "org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment",
        "sqlite3.OperationalError: database is locked",
        "[DELTA_CONCURRENT_APPEND] files were added by a concurrent update",
        "ExecutorLostFailure (executor 1 exited caused by one of the running tasks)",
        "software.amazon.awssdk: Please reduce your request rate. SlowDown",
    ],
)
def test_what_can_pass(text: str) -> None:
    assert of_text(text).passing and of_text(text).next_action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[DIVIDE_BY_ZERO] Division by zero",
        "[CONCURRENT_STREAM_LOG_UPDATE] Concurrent update to the log, Connection reset",
        "[DELTA_CONCURRENT_TRANSACTION] a concurrent transaction",
        "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED timed out",
        "java.lang.OutOfMemoryError: Java heap space",
        "ValueError: something of the user's own",
    ],
)
def test_what_is_not_known_to_pass_does_not(text: str) -> None:
    assert not of_text(text).passing


def test_the_innermost_cause_is_the_one_that_is_told() -> None:
    assert cause_line(NESTED) == "No space left on device"
    python = 'Traceback (most recent call last):\n  File "x.py", line 1, in f\nValueError: bad row'
    assert cause_line(python) == "ValueError: bad row"
    assert cause_line("") == "no reason was given"
    assert len(cause_line("x" * 10_000)) <= 600


def test_our_own_errors_keep_their_code() -> None:
    assert of_error(UnreachableError("away")).passing
    assert not of_error(RefusedError("no")).passing
    fenced = of_error(FencedError("gone"))
    assert fenced.fenced and fenced.exit_code == 3 and not fenced.passing


def test_an_interruption_is_told_from_a_failure() -> None:
    assert is_interruption("java.lang.InterruptedException")
    assert not is_interruption("Division by zero")


def test_waits_grow_to_a_bound() -> None:
    waits = [wait_s(n) for n in range(1, 40)]
    assert waits == sorted(waits) and waits[0] == 1.0 and waits[-1] == WAIT_S_MAX


@pytest.mark.parametrize(("module", "shown"), [("py4j/java_gateway.py", False), ("job.py", True)])
def test_the_log_of_a_call_that_broke_off_is_py4js_own(module: str, shown: bool) -> None:
    record = logging.LogRecord("root", logging.ERROR, f"/lib/{module}", 1, "broken", None, None)
    assert session.is_not_of_py4j(record) is shown
