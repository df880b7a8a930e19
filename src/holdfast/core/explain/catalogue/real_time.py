"""Real-time mode, asynchronous progress and the streaming shuffle (Spark 4.1 to 4.3)."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT
from holdfast.core.explain.catalogue.commands import CONF, SHOW, STATUS
from holdfast.core.explain.explanation import Explanation

_MODE: Final = "STREAMING_REAL_TIME_MODE"

REAL_TIME: Final = (
    Explanation(
        id="real-time-limits",
        title="the query cannot run in real-time mode as it is",
        cause="Real-time mode allows some sources, operators, sinks and settings only. Nothing was "
        "run. Switching to it changes the guarantee as well: rows leave before their batch is "
        "planned, so a restart can send them again.",
        look_at=("the trigger", "what the message names, and whether it is needed"),
        retry="does not help",
        retry_why="change the query or use another trigger; the checkpoint is as it was",
        next_commands=(CONF,),
        harmful=(DELETE_CHECKPOINT,),
        conditions={
            _MODE: "something that real-time mode does not allow",
            f"{_MODE}.ASYNC_PROGRESS_TRACKING_CHECKPOINTING_INTERVAL_NON_ZERO": "every batch has "
            "to be written down: the interval must be 0",
            f"{_MODE}.ASYNC_PROGRESS_TRACKING_NOT_SUPPORTED": "asynchronous progress tracking is "
            "on, which 4.1 and 4.2 do not allow here",
            f"{_MODE}.CHECKPOINT_FORMAT_V1_NOT_SUPPORTED": "state format 1 could mix the state of "
            "a failed batch with its repetition. The escape that Spark offers accepts lost data",
            f"{_MODE}.IDENTICAL_SOURCES_IN_UNION_NOT_SUPPORTED": "one source is used twice in a "
            "union",
            f"{_MODE}.INPUT_STREAM_NOT_SUPPORTED": "a source that this mode cannot read",
            f"{_MODE}.OPERATOR_OR_SINK_NOT_IN_ALLOWLIST": "an operator or sink that was not tried "
            "in this mode; switching the list off is at your own risk",
            f"{_MODE}.OUTPUT_MODE_NOT_SUPPORTED": "the output mode must be update",
            f"{_MODE}.SINK_NOT_SUPPORTED": "a sink that this mode cannot write",
            f"{_MODE}.SQL_CONFIGURATION_NOT_SUPPORTED": "a setting of the session does not fit",
            f"{_MODE}.STATEFUL_OPERATORS_BEFORE_UNION_NOT_SUPPORTED": "state stands before a "
            "union; put it behind",
        },
    ),
    Explanation(
        id="asynchronous-operation",
        title="something that ran beside the batch failed",
        cause="Writing plans and commits, or cleaning up, ran in the background and failed; the "
        "query learns of it later. What follows the name is the real reason.",
        look_at=("the innermost cause",),
        retry="may help",
        retry_why="it depends on the inner cause alone",
        next_commands=(SHOW,),
        conditions={
            "STREAMING_ASYNC_OPERATION_FAILED": "a background task of the query ended in an error",
        },
        strength="wrapper",
    ),
    Explanation(
        id="streaming-shuffle",
        title="the connection between tasks of a real-time query broke",
        cause="In real-time mode tasks send rows to one another while they run. A message was "
        "lost, damaged or out of order, or a reader never came: executors without free slots, "
        "a network that drops connections, an executor that died.",
        look_at=(
            "lost executors at that time, and free task slots: all stages run at once",
            "the network between executors",
        ),
        retry="helps",
        retry_why="the batch begins again after the last commit; rows that were out may come twice",
        next_commands=(SHOW, STATUS),
        conditions={
            "STREAMING_SHUFFLE_CHECKSUM_VERIFICATION_FAILED": "rows arrived with other bytes than "
            "were sent",
            "STREAMING_SHUFFLE_INCORRECT_SEQUENCE_NUMBER": "a message is missing or came twice",
            "STREAMING_SHUFFLE_UNEXPECTED_MESSAGE_TYPE": "a message of a kind that was not "
            "expected: two Spark versions may be talking",
            "STREAMING_SHUFFLE_WRITER_CONNECTION_TIMEOUT": "a reader did not connect in time: too "
            "few task slots, or a network that blocks it",
        },
    ),
)
