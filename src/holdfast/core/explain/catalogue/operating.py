"""Going back, cost and speed, and checkpoints that nobody asked for."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, DELETE_COMMITS, DELETE_OFFSETS
from holdfast.core.explain.catalogue.commands import DOCTOR, FILES, FLEET, SHOW, STATE
from holdfast.core.explain.explanation import Explanation

OPERATING: Final = (
    Explanation(
        id="start-from-offset",
        title="a query is to go on from a given offset or time",
        cause="startingOffsets counts only while a checkpoint has no plan. After that the newest "
        "plan decides, whatever the option says; and sources/0/0 of Kafka keeps the first "
        "position even when the plans are gone.",
        look_at=("the newest plan: its positions are where the query goes on",),
        retry="does not help",
        retry_why="options of the source are not looked at again",
        next_commands=(SHOW, "holdfast show CHECKPOINT --batch N"),
        harmful=(DELETE_CHECKPOINT, DELETE_COMMITS, DELETE_OFFSETS),
        fragments=(
            "restart from a given offset",
            "restart from … offset",
            "read from last offset",
            "from the last written offset",
            "dozens of offset files",
            "startingoffsets … ignored",
        ),
        check="position",
        strength="sign",
    ),
    Explanation(
        id="no-checkpoint-location",
        title="the query has no checkpoint location, or it is in the wrong place of the program",
        cause="Without checkpointLocation on the writer, Spark refuses, or takes a temporary "
        "folder that is gone at the next start: the query then begins from nothing each time. On "
        "readStream the option does nothing; startingOffsets does nothing on writeStream.",
        look_at=('option("checkpointLocation", …) on writeStream, with a fixed path',),
        retry="does not help",
        retry_why="until the writer has a fixed location",
        next_commands=(FLEET, DOCTOR),
        fragments=(
            "checkpointlocation must be specified",
            "temporary checkpoint location created",
            'readstream … option("checkpointlocation',
        ),
        conditions={"_LEGACY_ERROR_TEMP_1298": "neither the writer nor the session names one"},
    ),
    Explanation(
        id="sink-without-recovery",
        title="this sink cannot go on from a checkpoint",
        cause="The memory sink, outside complete mode, holds its rows in the driver; after a "
        "restart they are gone, so Spark refuses a checkpoint that has plans.",
        look_at=("the format of the writer: memory is for tests only",),
        retry="does not help",
        retry_why="use a sink that keeps its rows",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("does not support recovering from checkpoint location",),
        conditions={"_LEGACY_ERROR_TEMP_1299": "the sink has lost what earlier batches gave it"},
        check="has-work",
    ),
    Explanation(
        id="state-loaded-many-times",
        title="a batch loads its state several times",
        cause="foreachBatch uses its DataFrame more than once without persist, so the plan, state "
        "included, is executed for each use.",
        look_at=("persist before the first use and unpersist after the last",),
        retry="does not help",
        retry_why="it is slow, not wrong",
        next_commands=(STATE,),
        fragments=(
            "foreachbatch … without persist",
            "foreachbatch … persist … state",
            "state … reloaded … foreachbatch",
        ),
        check="stateful",
        strength="sign",
    ),
    Explanation(
        id="checkpoint-cost",
        title="the checkpoint is slow or costs too much",
        cause="On object stores every rename is a copy and every listing is paid for. Maintenance "
        "of state lists each minute; compacted logs of file sources and sinks are written whole "
        "every tenth batch and grow for ever; checkpoints of inner queries and of display are "
        "never removed.",
        look_at=(
            "size and number of files of each part, .compact above all",
            "spark.sql.streaming.checkpointFileManagerClass, and its doubts about two drivers",
            "ratioExtraSpaceAllowedInCheckpoint, minBatchesToRetain, retention of the file sink",
        ),
        retry="does not help",
        retry_why="it is no error",
        next_commands=(FILES, FLEET),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "every 10th batch",
            "slow down on every 10",
            "ratioextraspaceallowedincheckpoint",
            ".compact … grow",
            "compact file … large",
            "rename … slow … s3",
            "compact … outofmemoryerror",
        ),
        check="sizes",
        strength="sign",
    ),
)
