"""A message as people meet it: alone, in a stack trace of Spark, in the log of a driver."""

import json
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
CONDITIONS = (FOLDER / "conditions.txt").read_text(encoding="utf-8").split()
PAINS: list[tuple[str, str, str]] = [
    (pain, case["text"], case["id"])
    for pain, cases in json.loads((FOLDER / "pains.json").read_text(encoding="utf-8")).items()
    for case in cases
]

WRAPPED = (
    "[STREAM_FAILED] Query [id = 4b41c017-66c9-4266-832e-b7bdca059b6e, runId = "
    "0c1f5d34-3d7f-4f0c-9d1b-0b1a5a4f9b11] terminated with exception: "
)


def alone(message: str) -> str:
    return message


def in_trace(message: str) -> str:
    return (
        f"org.apache.spark.sql.streaming.StreamingQueryException: {WRAPPED}Job aborted due to "
        "stage failure: Task 1 in stage 8.0 failed 4 times. SQLSTATE: XXKST\n"
        "=== Streaming Query ===\n"
        "Identifier: gold [id = 4b41c017, runId = 0c1f5d34]\n"
        "\tat org.apache.spark.sql.execution.streaming.StreamExecution.run(StreamExecution.scala)\n"
        "Caused by: org.apache.spark.SparkException: Job aborted due to stage failure\n"
        "\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala)\n"
        f"Caused by: org.apache.spark.SparkException: {message}\n"
        "\tat org.apache.spark.sql.execution.streaming.state.StateStore$.get(StateStore.scala)\n"
        "\t... 12 more\n"
    )


def in_log(message: str) -> str:
    lines = [
        f"26/11/14 02:{minute:02}:07 INFO MicroBatchExecution: Streaming query made progress"
        for minute in range(60)
    ]
    trace = in_trace(message)
    lines.append(f"26/11/14 03:00:01 ERROR MicroBatchExecution: Query gold terminated\n{trace}")
    lines.append("26/11/14 03:00:02 INFO SparkContext: Invoking stop() from shutdown hook")
    return "\n".join(lines) + "\n"


def bracketed(name: str) -> str:
    return f"[{name}] Something that Spark says of it. SQLSTATE: 42K03"


def shapes() -> Iterator[object]:
    yield from (alone, in_trace, in_log)
