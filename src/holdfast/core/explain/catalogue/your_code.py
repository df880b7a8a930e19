"""Code of the user, Python processes, and the wrapper around every failure."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT
from holdfast.core.explain.catalogue.commands import AUDIT, DOCTOR, SHOW, STATUS
from holdfast.core.explain.explanation import Explanation

YOUR_CODE: Final = (
    Explanation(
        id="stream-failed",
        title="a query ended with an exception; this name only says that",
        cause="Spark wraps whatever ended a query in this condition. The reason is what follows "
        "`terminated with exception`, or the last `Caused by` of the stack trace.",
        look_at=("the last `Caused by` in the driver's log",),
        retry="may help",
        retry_why="it depends on the inner cause alone",
        next_commands=("holdfast explain LOG-OF-THE-DRIVER", SHOW),
        harmful=(DELETE_CHECKPOINT,),
        conditions={"STREAM_FAILED": "a query ended with the exception that follows"},
        strength="wrapper",
    ),
    Explanation(
        id="foreach-failed",
        title="your own function in foreach or foreachBatch failed",
        cause="The exception comes from the function that writes the batch. What it had written "
        "before it failed stays written, and the whole batch comes again.",
        look_at=(
            "the Python or Java exception below",
            "whether the function may safely get the same batch twice",
        ),
        retry="may help",
        retry_why="only if the function's cause passes by itself, such as a server that was away",
        next_commands=(SHOW, AUDIT),
        conditions={
            "FOREACH_BATCH_USER_FUNCTION_ERROR": "the function of foreachBatch raised an error",
            "FOREACH_USER_FUNCTION_ERROR": "the writer of foreach raised an error",
            "TRANSFORM_WITH_STATE_USER_FUNCTION_ERROR": "a function of your StatefulProcessor "
            "raised an error",
            "PYTHON_STREAMING_DATA_SOURCE_RUNTIME_ERROR": "your Python data source raised an "
            "error while it planned, read or committed",
        },
        check="runs-again",
        strength="wrapper",
    ),
    Explanation(
        id="python-runner",
        title="Spark could not start the Python process for a streaming function",
        cause="The driver starts a Python process for foreachBatch, listeners, data sources and "
        "transformWithState. It did not come up or did not answer: another Python version on that "
        "machine, a missing package, no memory, a blocked loopback port.",
        look_at=(
            "PYSPARK_PYTHON on every machine, and packages that your module imports",
            "standard error of the Python process",
        ),
        retry="may help",
        retry_why="a time-out under load passes; a missing package does not",
        next_commands=(DOCTOR,),
        conditions={
            "STREAMING_PYTHON_RUNNER_INITIALIZATION_COMMUNICATION_FAILURE": "the process came up "
            "and the first exchange with it broke off",
            "STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE": "the process said no, most often "
            "because your function or a package could not be imported",
            "STREAMING_PYTHON_RUNNER_INITIALIZATION_TIMEOUT_FAILURE": "the process did not "
            "connect in time",
        },
    ),
    Explanation(
        id="server-away",
        title="a server did not answer: broker, database, store or executor",
        cause="A connection was refused, broke, or timed out. The checkpoint is not concerned; at "
        "most one batch is in flight and runs again.",
        look_at=("whether the server runs and can be reached from the driver and the executors",),
        retry="helps",
        retry_why="once the server answers; nothing is lost meanwhile",
        next_commands=(STATUS, SHOW),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "connection refused",
            "broker may not be available",
            "no resolvable bootstrap",
            "connection to node … could not be established",
            "timed out waiting for a node assignment",
            "unknownhostexception",
        ),
        strength="sign",
    ),
)
