"""Between checkpoint and sink: rows that are dropped or written twice, mostly without an error."""

from typing import Final

from holdfast.core.explain.advice import (
    DELETE_CHECKPOINT,
    DELETE_COMMITS,
    DELETE_OFFSETS,
    DELETE_SINK_LOG,
)
from holdfast.core.explain.catalogue.commands import AUDIT, DIFF, SHOW
from holdfast.core.explain.explanation import Explanation

SINKS: Final = (
    Explanation(
        id="delta-skips-epoch",
        title="Delta dropped a batch because it remembers that batch id of this query",
        cause="Delta's sink drops every batch whose id is not above the last one that it remembers "
        "for this query id. Once, right after a crash, that is as it should be. After a rewind, an "
        "emptied checkpoint or RESTORE TABLE it loses rows: RESTORE does not take the memory back, "
        "and the checkpoint still says that the rows are done.",
        look_at=(
            "whether it is one batch after a crash, or batch after batch",
            "the transaction version in the table's log, beside the checkpoint's next batch",
            "progress events with new offsets and no input rows",
        ),
        retry="makes it worse",
        retry_why="every batch up to the remembered one is passed over, and counted as done",
        next_commands=(SHOW,),
        harmful=(DELETE_COMMITS, DELETE_OFFSETS, DELETE_CHECKPOINT),
        fragments=(
            "skipping already complete epoch",
            "delta thinks it already ran that version",
            "restore table … did nothing",
        ),
        check="next-batch",
        strength="sign",
    ),
    Explanation(
        id="sink-skips-batch",
        title="the sink dropped a batch because it has that batch id already",
        cause="Spark's file sink keeps a list of batches in _spark_metadata, by number alone; Hudi "
        "and others keep one too. After a reset batch ids begin at 0 again, and every number that "
        "the list has is dropped, until the query has passed the old one.",
        look_at=(
            "the newest number in _spark_metadata, beside the checkpoint's next batch",
            "whether the checkpoint was deleted or cut back while the output stayed",
        ),
        retry="makes it worse",
        retry_why="dropped batches count as done in the checkpoint",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT, DELETE_SINK_LOG),
        fragments=(
            "skipping already committed batch",
            "output only on the … batch",
            "previous batches will be silently discarded",
        ),
        check="next-batch",
        strength="sign",
    ),
    Explanation(
        id="sink-identity-by-path",
        title="a sink knows queries by the path of their checkpoint",
        cause="The memory of the sink is kept under a name that is made from the path. A new "
        "checkpoint at the old path is taken for the old query, and its first batches are dropped.",
        look_at=("what the sink uses as commit user or application id",),
        retry="makes it worse",
        retry_why="dropped batches count as done in the checkpoint",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "commit user … checkpoint path",
            "commit identity … checkpoint",
            "commituser … checkpointlocation",
            "fresh batches … silently skipped",
        ),
        check="next-batch",
        strength="sign",
    ),
    Explanation(
        id="same-reset-twice",
        title="a reset to the same value a second time does nothing",
        cause="Tools that remember the last reset take an equal one for done. Hudi compares the "
        "checkpoint value that it is given with the one of before.",
        look_at=("the value that was given last time",),
        retry="does not help",
        retry_why="until the value differs, by a token for instance",
        next_commands=(SHOW,),
        fragments=(
            "deltastreamer … checkpoint … same",
            "reset checkpoint … ignored",
            "reset … same value … skipped",
            "deltastreamer.checkpoint.reset_key",
        ),
        strength="sign",
    ),
    Explanation(
        id="sink-log-hole",
        title="the list of the file sink or file source has a hole",
        cause="_spark_metadata of the output, or sources/<n> of the checkpoint, lacks a file that "
        "the next compaction or a reader needs. Somebody deleted the folder or a part of it, or "
        "the sink was pointed at another folder in the middle of its life.",
        look_at=("which numbers _spark_metadata has, from the last .compact on",),
        retry="does not help",
        retry_why="the file stays missing; restore it, or begin a new output folder",
        next_commands=(SHOW, DIFF),
        harmful=(DELETE_CHECKPOINT, DELETE_SINK_LOG),
        fragments=(
            "doesn't exist when compacting batch",
            "doesn't exist (latestid:",
            "unable to find batch",
        ),
        conditions={
            "BATCH_METADATA_NOT_FOUND": "a file of a compacted log is missing: of _spark_metadata, "
            "or of a file source",
        },
        check="source-log",
    ),
    Explanation(
        id="sink-not-idempotent",
        title="the sink writes a batch again when it is run again",
        cause="After a crash between the sink's write and commits/N the batch comes again with the "
        "same id and the same rows. A sink without a memory of batches writes them twice: plain "
        "foreachBatch, most tables of Paimon, Hudi and Iceberg through foreachBatch, aggregating "
        "tables in particular.",
        look_at=(
            "whether the sink keeps (query id, batch id) in the same transaction as the rows",
            "the batch that was in flight at the crash",
        ),
        retry="makes it worse",
        retry_why="a batch in flight is written once more at each start",
        next_commands=(SHOW, AUDIT),
        harmful=(DELETE_COMMITS,),
        fragments=(
            "not idempotent",
            "sink … duplicates … replay",
            "duplicate rows after restart",
            "duplicates after restart",
            "duplicate records … foreachbatch",
        ),
        check="runs-again",
        strength="sign",
    ),
    Explanation(
        id="jdbc-twice",
        title="a database gets the rows of a batch twice",
        cause="Spark has no streaming sink for JDBC. In foreachBatch, write.jdbc appends, so a "
        "batch that comes again is inserted again; a part of it may be in already, since each "
        "partition has its own transaction.",
        look_at=("a key of the table", "one transaction that also stores the batch id"),
        retry="makes it worse",
        retry_why="the batch in flight is inserted again",
        next_commands=(SHOW, AUDIT),
        harmful=(DELETE_COMMITS,),
        fragments=(
            "jdbc … streaming … duplicate",
            "duplicate … jdbc sink",
            "data source jdbc does not support streamed writing",
            "duplicate key value violates unique constraint",
        ),
        check="runs-again",
        strength="sign",
    ),
    Explanation(
        id="two-tables",
        title="one foreachBatch writes two tables, and one of them was written",
        cause="Two tables are two transactions. The first is committed, the second fails, the "
        "batch comes again, and the first gets its rows twice unless it knows the batch.",
        look_at=("each write of the function by itself: does it know a batch that comes again",),
        retry="makes it worse",
        retry_why="for the table that has the batch, unless it knows it",
        next_commands=(SHOW, AUDIT),
        fragments=(
            "two tables … foreachbatch",
            "multiple tables … foreachbatch",
            "foreachbatch … two tables",
            "foreachbatch … multiple tables",
            "first table … committed … second … fail",
        ),
        check="runs-again",
        strength="sign",
    ),
    Explanation(
        id="duplicates-after-delete",
        title="rows are there twice since the checkpoint was deleted",
        cause="A new checkpoint is a new query that reads from the beginning, or from where its "
        "starting option says. The output was kept, and no sink can tell that it has these rows.",
        look_at=("when the query id changed: Delta's history shows it", "rows since that time"),
        retry="does not help",
        retry_why="the rows are in the table; they have to be taken out by key or by time",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "after deleting the checkpoint … duplicate",
            "duplicates after deleting",
            "deleted the checkpoint … duplicate",
            "auto loader duplicate",
        ),
        check="next-batch",
        strength="sign",
    ),
    Explanation(
        id="restream-overwrite",
        title="a table is to be filled anew from the stream without deleting it first",
        cause="A stream appends. Overwriting while it reads from the beginning needs a second "
        "table, or rows that are removed first, and files that arrive meanwhile belong to both.",
        look_at=("a new table and a new checkpoint beside the old ones, and a swap at the end",),
        retry="does not help",
        retry_why="it is a plan, no error",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "overwrite … re-streaming",
            "overwrite … restream",
            "without deleting data and checkpoint",
        ),
        strength="sign",
    ),
)
