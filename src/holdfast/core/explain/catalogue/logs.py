"""offsets/, commits/ and metadata: torn, missing, too new, not writable."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, DELETE_COMMITS, DELETE_OFFSETS
from holdfast.core.explain.catalogue.commands import DIFF, FILES, SHOW, VERIFY
from holdfast.core.explain.explanation import Explanation

LOGS: Final = (
    Explanation(
        id="torn-log-file",
        title="a file of offsets/ or commits/ is empty or cut short",
        cause="The file was being written when the disk filled up, the machine lost power, or a "
        "copy was broken off. Spark does not flush its logs to the disk, so a power cut can leave "
        "an empty file under the right name.",
        look_at=(
            "which file it is: the newest of offsets/ or commits/, most likely",
            "free space and the system's log at the time of the last batch",
            "whether the batch has a commit: without one its rows may or may not be in the sink",
        ),
        retry="does not help",
        retry_why="the same file is read at every start",
        next_commands=(SHOW, VERIFY),
        harmful=(DELETE_CHECKPOINT, DELETE_OFFSETS),
        fragments=(
            "incomplete log file",
            "failed to read log file",
            "log file was malformed",
            "failed to read correct log version",
            "no content to map due to end-of-input",
            "detect corrupt progress tracking file",
        ),
        conditions={
            "MALFORMED_LOG_FILE": "the first line of a log file is no version such as v1: the file "
            "is empty, cut off, or something else was written there",
        },
        check="torn-log",
    ),
    Explanation(
        id="disk-full",
        title="the disk of the checkpoint, of the output or of Spark's scratch folder is full",
        cause="A write found no space. Files that were being written may be left empty or half "
        "full; the next start can stumble over them.",
        look_at=(
            "free space and quota of the checkpoint's store, of the output and of spark.local.dir",
            "files of the last minutes that are empty",
        ),
        retry="helps",
        retry_why="once there is space, unless a torn file was left: `show` says so",
        next_commands=(VERIFY, "holdfast doctor"),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("no space left on device", "disk quota exceeded", "enospc", "disk is full"),
        check="maybe-torn",
    ),
    Explanation(
        id="hole-in-log",
        title="a plan that a restart needs is missing from offsets/",
        cause="A start needs the two newest plans: the newest, and the one before it, which is "
        "where the batch begins. One is gone. Either files were deleted, by hand or by a lifecycle "
        "rule, or the query ran with asynchronous progress tracking, which writes only some "
        "batches, and it was switched off.",
        look_at=(
            "which ids offsets/ and commits/ have: missing in both means asynchronous progress",
            "the option asyncProgressTrackingEnabled of this run and of the one before",
            "lifecycle rules of the bucket",
        ),
        retry="does not help",
        retry_why="the plan stays missing; with asynchronous progress switched on again, and "
        "asyncProgressTrackingCheckpointIntervalMs=0 for two batches, the gap closes by itself",
        next_commands=(SHOW, FILES),
        harmful=(DELETE_OFFSETS, DELETE_CHECKPOINT),
        fragments=(
            "batch … doesn't exist",
            "batches (… don't exist",
            "the offset log for batch … doesn't exist",
            "there are two subsequent offset logs available",
        ),
        check="hole",
    ),
    Explanation(
        id="bare-assertion",
        title="an assertion without a word: offsets/ is empty and commits/ is not",
        cause="Spark finds commits and not one plan. offsets/ was emptied by hand or restored "
        "from an older copy than commits/. Some Kinesis connectors fail with the same bare words "
        "when their own records of shards are gone.",
        look_at=("offsets/ and commits/: which ids each has", "sources/0/shard-* with Kinesis"),
        retry="makes it worse",
        retry_why="Spark 3.5 and 4.0 write a new batch 0 to the sink before they fail",
        next_commands=(SHOW, DIFF),
        harmful=(DELETE_COMMITS, DELETE_CHECKPOINT),
        fragments=("assertion failed\n",),
        check="no-offsets",
    ),
    Explanation(
        id="commits-trail",
        title="commits/ is more than one batch behind offsets/",
        cause="Somebody deleted several commits, hoping to run several batches again. Spark only "
        "notes it and runs the newest batch; those between are taken as done.",
        look_at=("whether the sink has the batches between", "who deleted files of commits/"),
        retry="makes it worse",
        retry_why="the start succeeds, and what was to be done again is not",
        next_commands=(SHOW, DIFF),
        harmful=(DELETE_COMMITS,),
        fragments=("which is not trailing batchid", "no commit log present"),
        check="commits-trail",
        strength="sign",
    ),
    Explanation(
        id="metadata-missing",
        title="the checkpoint has lost its metadata file, and with it the query id",
        cause="metadata holds the query id and nothing else, is written once, and is gone: not "
        "copied with the rest, deleted, or expired. Spark 4.2 and newer refuse to start. Older "
        "ones make a new id without a word, and a sink that knows batches by id takes the query "
        "for another one.",
        look_at=(
            "a backup, or the place the checkpoint was copied from",
            "the id in the driver's log, in progress events, in the history of a Delta table",
        ),
        retry="does not help",
        retry_why="on Spark 4.1 and older it starts, and the batch in flight is written twice",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "metadata file is missing but offset and/or commit logs",
            "lost the metadata file of the checkpoint",
        ),
        conditions={
            "STREAMING_CHECKPOINT_MISSING_METADATA_FILE": "offsets/ or commits/ have batches and "
            "metadata is not there",
        },
        check="metadata",
    ),
    Explanation(
        id="newer-log-version",
        title="a newer Spark wrote this checkpoint, or a setting asks for another format",
        cause="The version line of a log file is not one that this Spark takes. Either the "
        "checkpoint was last run on a newer Spark (a downgrade), or, on 4.0 and 4.1, the setting "
        "spark.sql.streaming.stateStore.checkpointFormatVersion is not the one it began with.",
        look_at=(
            "the Spark version that ran last, and the one that runs now",
            "the version of the newest commits file: 2 means state format 2",
        ),
        retry="does not help",
        retry_why="go back to the newer Spark, or set the format that the checkpoint has",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "unsupportedlogversion",
            "maximum supported log version is",
            "the only supported log version is",
            "log file was produced by a newer version of spark",
        ),
        conditions={
            "INVALID_LOG_VERSION": "the version of a log file is not one that this Spark reads",
            "INVALID_LOG_VERSION.EXACT_MATCH_VERSION": "this Spark takes one version only, that of "
            "its setting for the state format, and the checkpoint has another",
            "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION": "the file is newer than this Spark reads",
        },
        check="newer-version",
    ),
    Explanation(
        id="log-not-writable",
        title="Spark could not write its plan or its commit",
        cause="The store refused the write or did not answer: permissions, an expired token, a "
        "full disk, throttling. A plan that is not written means that nothing of the batch "
        "happened. A commit that is not written means that the rows are in the sink and the batch "
        "will run again.",
        look_at=("permissions and credentials of the checkpoint's store", "its free space"),
        retry="may help",
        retry_why="once the store takes writes; the sink must know a batch that comes again",
        next_commands=(SHOW, "holdfast doctor"),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("failed to write offset log entry", "failed to write commit log entry"),
        conditions={
            "STREAMING_CHECKPOINT_LOG_WRITE_FAILURE": "a log entry could not be written",
            "STREAMING_CHECKPOINT_LOG_WRITE_FAILURE.COMMIT_LOG": "commits/N could not be written: "
            "the rows of batch N are out already",
            "STREAMING_CHECKPOINT_LOG_WRITE_FAILURE.OFFSET_LOG": "offsets/N could not be written: "
            "nothing of batch N has happened",
        },
        check_of={"STREAMING_CHECKPOINT_LOG_WRITE_FAILURE.COMMIT_LOG": "in-flight"},
    ),
    Explanation(
        id="rename-failed",
        title="a temporary file could not be given its final name",
        cause="Spark writes under a temporary name and renames. The rename failed: the final name "
        "was taken, by a second driver or by an earlier attempt of the same batch, or the "
        "temporary file was gone, or the store has no rename that can be trusted.",
        look_at=(
            "whether another driver runs on this checkpoint",
            "which kind of store it is, and spark.sql.streaming.checkpointFileManagerClass",
        ),
        retry="may help",
        retry_why="after an earlier attempt; never while a second driver may be running",
        next_commands=("holdfast status", SHOW),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "failed to rename temp file",
            "failed to rename … temp",
            "failed to rename as",
            "failed to rename … as destination already exists",
        ),
        conditions={
            "FAILED_RENAME_PATH": "the final name was taken already",
            "FAILED_RENAME_TEMP_FILE": "the store said no to the rename, without a reason",
            "RENAME_SRC_PATH_NOT_FOUND": "the temporary file was gone before it could be renamed",
            "_LEGACY_ERROR_TEMP_2198": "the final name was taken already",
        },
        check="leftovers",
    ),
    Explanation(
        id="escaped-path",
        title="Spark 2 wrote this checkpoint under a name with escaped characters",
        cause="Before 3.0 Spark escaped blanks and other characters of the path, so the old work "
        "lies in a folder beside the one that is looked at now. Going on would begin from nothing.",
        look_at=("the two folders that the message names", "which of them has the newest batch"),
        retry="does not help",
        retry_why="both folders stay where they are; copy the old one, then move it to its name",
        next_commands=("holdfast fleet FOLDER-ABOVE-BOTH", SHOW),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "possible problem with the location of your checkpoint",
            'possible problem with the location of your "_spark_metadata"',
        ),
        conditions={
            "_LEGACY_ERROR_TEMP_2263": "the checkpoint lies under the escaped name as well",
            "_LEGACY_ERROR_TEMP_2200": "the list of the file sink's files lies under the escaped "
            "name as well",
        },
    ),
    Explanation(
        id="purge-refused",
        title="an old log cannot be cleaned without breaking it",
        cause="Something asked a compacted log of a file source or a file sink to forget entries. "
        "These logs cannot do that: later files rest on earlier ones.",
        look_at=("who called purge: code of your own, or a tool that cleans checkpoints",),
        retry="does not help",
        retry_why="the request itself is wrong; leave the log alone",
        next_commands=(SHOW,),
        fragments=("cannot purge as it might break internal state",),
        conditions={"_LEGACY_ERROR_TEMP_2260": "a compacted log was asked to forget entries"},
    ),
    Explanation(
        id="file-manager",
        title="the class that writes checkpoint files could not be loaded",
        cause="spark.sql.streaming.checkpointFileManagerClass names a class that is not on the "
        "class path, does not fit this Spark, or failed when it was made. Often the jar of "
        "hadoop-cloud is missing.",
        look_at=("that setting", "the jars of the driver and their versions", "the inner message"),
        retry="does not help",
        retry_why="until the jar or the setting is right; the checkpoint was not touched",
        next_commands=("holdfast doctor",),
        conditions={
            "CANNOT_LOAD_CHECKPOINT_FILE_MANAGER": "the class for checkpoint files cannot be used",
            "CANNOT_LOAD_CHECKPOINT_FILE_MANAGER.ERROR_LOADING_CLASS": "the class was found and "
            "could not be made, or was not found",
            "CANNOT_LOAD_CHECKPOINT_FILE_MANAGER.UNCATEGORIZED": "it failed in a way that Spark "
            "has no name for: the inner message says more",
        },
    ),
    Explanation(
        id="expired-files",
        title="a lifecycle rule or a clean-up deletes files of the checkpoint",
        cause="Buckets and file servers are often told to delete what is older than some days. "
        "metadata, operator metadata and old snapshots are never written again and are the first "
        "to go, while the query still needs them.",
        look_at=(
            "lifecycle rules of the bucket and clean-up jobs of the server",
            "the age of the oldest files: the same in every partition points at a rule",
        ),
        retry="does not help",
        retry_why="deleted files stay deleted; take the checkpoint out of the rule first",
        next_commands=(FILES, DIFF),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("lifecycle rule", "lifecycle polic", "lifecycle configuration"),
        check="maybe-state",
        strength="sign",
    ),
)
