"""Sources beside Kafka and Delta: files, rate, Iceberg, Event Hubs, Kinesis, MongoDB."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, IGNORE_LOSS
from holdfast.core.explain.catalogue.commands import FILES, SHOW
from holdfast.core.explain.explanation import Explanation

OTHER_SOURCES: Final = (
    Explanation(
        id="iceberg-snapshot-expired",
        title="the Iceberg snapshot that the checkpoint stands at was expired",
        cause="Snapshots are expired by age. A query that was down, or that had nothing to read "
        "for longer than that, stands at one that is gone; an AvailableNow run also needs the "
        "first snapshot it ever read.",
        look_at=(
            "the snapshot id in the newest plan, beside the table's snapshots",
            "history.expire.max-snapshot-age-ms and who runs expire_snapshots",
        ),
        retry="does not help",
        retry_why="an expired snapshot does not come back",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT, IGNORE_LOSS),
        fragments=("cannot load current offset at snapshot", "snapshot was expired or removed"),
        check="position",
    ),
    Explanation(
        id="event-hubs-sequence",
        title="Event Hubs no longer has the events at the stored position",
        cause="Retention passed the position, or the hub was made anew, so sequence numbers begin "
        "elsewhere than the checkpoint says.",
        look_at=("the earliest sequence number of each partition, beside the stored one",),
        retry="does not help",
        retry_why="the events are gone",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT, IGNORE_LOSS),
        fragments=(
            "is less than the received seqno",
            "the earliest seqno is",
            "does not match the received sequence number",
        ),
        check="position",
    ),
    Explanation(
        id="kinesis-metadata-missing",
        title="the Kinesis connector cannot find what it wrote for the batch before",
        cause="The connector keeps positions of shards below sources/, written by its tasks. A "
        "batch whose rows nobody read, such as an empty foreachBatch, runs no task and leaves "
        "none; the next batch misses them.",
        look_at=("sources/0/shard-commit or shard-source: which batches it has",),
        retry="does not help",
        retry_why="the folder stays missing; where records may be skipped the connector says so",
        next_commands=(FILES,),
        harmful=(DELETE_CHECKPOINT, IGNORE_LOSS),
        fragments=(
            "shard-commit/… does not exist",
            "unable to fetch committed metadata from previous batch",
        ),
        check="position",
    ),
    Explanation(
        id="kinesis-shard-gone",
        title="a Kinesis shard of the checkpoint does not exist any more",
        cause="The stream was resharded, and the old shards expired while the query was down.",
        look_at=("shards of the stream and their parents", "retention of the stream"),
        retry="does not help",
        retry_why="a closed shard whose records have expired is gone",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT, IGNORE_LOSS),
        fragments=("shard shardid-… does not exist", "resourcenotfoundexception … shard"),
        check="position",
    ),
    Explanation(
        id="mongo-history-lost",
        title="MongoDB's change stream no longer reaches back to the stored position",
        cause="The oplog has been overwritten beyond the resume token: the query was down for "
        "longer than the oplog lasts.",
        look_at=("size and time window of the oplog",),
        retry="does not help",
        retry_why="overwritten changes do not come back",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("changestreamhistorylost", "resume point may no longer be in the oplog"),
        check="position",
    ),
    Explanation(
        id="rate-source",
        title="the rate source and its checkpoint contradict one another",
        cause="The end of a planned batch lies before its beginning: startTimestamp was changed "
        "while batch 0 was in flight, or the plan was edited.",
        look_at=("startTimestamp and rowsPerBatch of the source",),
        retry="does not help",
        retry_why="set the old values until batch 0 is done",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        conditions={
            "MALFORMED_STATE_IN_RATE_PER_MICRO_BATCH_SOURCE": "positions do not fit together",
            "MALFORMED_STATE_IN_RATE_PER_MICRO_BATCH_SOURCE.INVALID_OFFSET": "a batch would end "
            "before it begins, in rows",
            "MALFORMED_STATE_IN_RATE_PER_MICRO_BATCH_SOURCE.INVALID_TIMESTAMP": "a batch would "
            "end before it begins, in time",
        },
        check="position",
    ),
    Explanation(
        id="clean-source-of-sink",
        title="a file source may not clean up the output of a file sink",
        cause="cleanSource would delete or archive files that _spark_metadata of that folder "
        "lists, and every reader of it would fail.",
        look_at=("cleanSource of the source",),
        retry="does not help",
        retry_why="take cleanSource out",
        next_commands=(SHOW,),
        fragments=("clean up source files is not supported",),
        conditions={"_LEGACY_ERROR_TEMP_2261": "cleanSource is set on the output of a file sink"},
    ),
    Explanation(
        id="reads-everything-again",
        title="a restart reads everything again although the checkpoint is whole",
        cause="The source did not go on from its stored position: the input folder was moved, so "
        "every file is new; a connector takes its starting option at each start; a position was "
        "written wrongly after an empty batch; or the location is not the one of before.",
        look_at=(
            "whether the query id and batch number went on from before",
            "positions of the last two plans",
        ),
        retry="makes it worse",
        retry_why="each start writes the rows again, in a sink that does not know them",
        next_commands=(SHOW, "holdfast diff BACKUP CHECKPOINT"),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "restart … re-reads everything",
            "re-reads all … after restart",
            "reprocess … from the beginning … restart",
            "restart … reads everything again",
            "scan.mode … latest-full",
        ),
        check="position",
        strength="sign",
    ),
    Explanation(
        id="source-reloaded",
        title="rows that were deleted and loaded again upstream do not arrive downstream",
        cause="A stream reads additions. A delete and a reload in the table before it are changes "
        "that it skips, or a new table that it does not know; with a table made anew only the "
        "flow that reads it has to begin again.",
        look_at=("history of the source table: which versions delete, which add",),
        retry="does not help",
        retry_why="the stream has passed these versions",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "bronze … not seen … silver",
            "delete-and-reload",
            "deleted and reloaded … bronze",
            "full refresh … single flow",
            "reset_checkpoint_selection",
            "per-flow reset",
        ),
        check="delta-position",
        strength="sign",
    ),
)
