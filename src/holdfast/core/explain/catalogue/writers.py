"""Two drivers on one checkpoint, and what they leave."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, DELETE_COMMITS, DELETE_OFFSETS
from holdfast.core.explain.catalogue.commands import FLEET, SHOW, STATUS
from holdfast.core.explain.explanation import Explanation

WRITERS: Final = (
    Explanation(
        id="two-writers",
        title="two drivers write to one checkpoint, or its logs do not fit together",
        cause="A log file that this driver was about to write existed already. Either another "
        "driver runs the same query (a retry of the scheduler, a second cluster, an old pod), or "
        "offsets/ was cut and commits/ was not: then the newest batch is written to the sink once "
        "more and fails at its commit. Spark has no lock, and notices it only after the rows are "
        "out.",
        look_at=(
            "every place that can start this query: scheduler retries, pods, notebooks",
            "whether commits/ is ahead of offsets/",
            "whether the sink has the batch twice",
        ),
        retry="makes it worse",
        retry_why="each attempt may write the batch to the sink again; first make sure that one "
        "driver is left",
        next_commands=(SHOW, STATUS),
        harmful=(DELETE_CHECKPOINT, DELETE_OFFSETS, DELETE_COMMITS),
        fragments=(
            "multiple streaming jobs detected",
            "concurrent update to the log",
            "concurrent update to the commit log",
            "multiple streaming queries are concurrently using",
            "sparkconcurrentmodificationexception",
            "race while writing batch",
            "rename destination … already exists",
        ),
        conditions={
            "CONCURRENT_STREAM_LOG_UPDATE": "the file of this batch was there before it was "
            "written",
            "_LEGACY_ERROR_TEMP_2207": "metadata or a log file was written by somebody else in "
            "the same moment",
        },
        check="two-writers",
    ),
    Explanation(
        id="query-active",
        title="the same query, or one of the same name, runs already",
        cause="In this Spark, or in another session of it, a query with the same id or name is "
        "active. A notebook cell that was run twice, or a restart before the old run had ended.",
        look_at=("spark.streams.active in every session", "two queries with one queryName"),
        retry="may help",
        retry_why="once the other one has stopped",
        next_commands=(STATUS,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "as another query with same id is already active",
            "another instance of this query was just started",
            "as a query with that name is already active",
        ),
        conditions={"CONCURRENT_QUERY": "another session started the same query just now"},
    ),
    Explanation(
        id="delta-two-writers",
        title="two drivers write to a Delta table under one query id",
        cause="Two transactions carried the same id: two drivers on one checkpoint, or a copy of a "
        "checkpoint that runs beside the original. Whichever is behind is dropped.",
        look_at=("copies of the checkpoint: they have the same id", "who else runs this query"),
        retry="makes it worse",
        retry_why="the one that is behind loses rows without an error",
        next_commands=(FLEET, STATUS),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("multiple streaming queries are using the same checkpoint to write",),
        conditions={
            "DELTA_CONCURRENT_TRANSACTION": "another writer with the same transaction id was "
            "faster",
        },
    ),
    Explanation(
        id="directory-not-empty",
        title="a new query found files in its checkpoint",
        cause="No plan is there, so Spark takes the query for a new one, and state/ or a log is "
        "not empty. Either the very first batch was cut off, which leaves a temporary file, or "
        "offsets/ was deleted from a checkpoint that has done work.",
        look_at=(
            "what offsets/, commits/ and state/ hold: only names with .tmp, or more",
            "whether this path belonged to another query",
        ),
        retry="does not help",
        retry_why="the files stay; `holdfast run` puts leftovers of a first plan aside by itself",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("should be empty on batch 0",),
        conditions={
            "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY": "there is no plan, and something else is "
            "there",
        },
        check="not-empty",
    ),
    Explanation(
        id="pod-restarts",
        title="the driver is started again while the old one may still run, or not at all",
        cause="An operator of Kubernetes restarts the driver by its own rules. A pod that it has "
        "lost sight of goes on writing, and a new one begins beside it; Event Hubs then shuts one "
        "receiver out by its epoch.",
        look_at=(
            "pods of this application, on every node, terminating ones too",
            "the restart policy of the operator",
        ),
        retry="may help",
        retry_why="once only one driver is left",
        next_commands=(STATUS, SHOW),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "new receiver … with higher epoch",
            "current receiver … is getting disconnected",
            "receiverdisconnectedexception",
            "sparkapplication … driver … restart",
        ),
    ),
    Explanation(
        id="delta-schema-log-shared",
        title="two Delta sources keep their schema log in one place",
        cause="schemaTrackingLocation must be one folder for each Delta source of a query, below "
        "its checkpoint. Two sources share one.",
        look_at=("schemaTrackingLocation of every Delta source",),
        retry="does not help",
        retry_why="give each source a folder or a streamingSourceTrackingId of its own",
        next_commands=(SHOW,),
        conditions={
            "DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT": "two sources have one schema log",
            "DELTA_STREAMING_SCHEMA_LOCATION_NOT_UNDER_CHECKPOINT": "the schema log must lie "
            "below the checkpoint",
        },
    ),
)
