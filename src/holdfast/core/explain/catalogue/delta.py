"""Delta as a source: history that is gone, tables that were replaced, schemas that moved."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, IGNORE_LOSS
from holdfast.core.explain.catalogue.commands import SHOW
from holdfast.core.explain.explanation import Explanation

DELTA: Final = (
    Explanation(
        id="delta-log-cleaned",
        title="the Delta table no longer has the version that the checkpoint stands at",
        cause="Delta deletes old log files after delta.logRetentionDuration. The query was down, "
        "or idle, for longer than that, so the next version to read is gone.",
        look_at=(
            "the version in the newest plan, beside the oldest in _delta_log",
            "delta.logRetentionDuration and when VACUUM last ran",
        ),
        retry="does not help",
        retry_why="cleaned versions do not come back; changes in them have to be found otherwise",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT, IGNORE_LOSS),
        fragments=(
            "delta stream cannot resume from version",
            "transaction log starts at",
            "filenotfoundexception … _delta_log/",
            "_delta_log/… filenotfoundexception",
        ),
        conditions={
            "DELTA_MISSING_FILES_UNEXPECTED_VERSION": "the log of the source begins after the "
            "version that is needed",
            "DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE": "a log file that is needed is gone",
        },
        check="delta-position",
    ),
    Explanation(
        id="delta-tail-missing",
        title="the newest commit of the Delta source vanished between two looks",
        cause="A listing showed a version that could then not be read. Older releases of Delta "
        "went on and left its rows out for ever; newer ones stop.",
        look_at=("who rewrites _delta_log of the source", "listings that are not consistent"),
        retry="may help",
        retry_why="if the store was late; check that the version is there before you go on",
        next_commands=(SHOW,),
        harmful=(IGNORE_LOSS,),
        conditions={
            "DELTA_STREAMING_TRAILING_COMMIT_MISSING": "a version that was listed is not there",
        },
        check="delta-position",
    ),
    Explanation(
        id="delta-other-table",
        title="the Delta table at this path is not the one that the checkpoint has read",
        cause="The position carries the table's id. The table was dropped and made again, or the "
        "path now leads to another one. Its versions count from 0 again.",
        look_at=("the table id in the newest plan, beside the one of the table", "who replaced it"),
        retry="does not help",
        retry_why="the old table's positions mean nothing in the new one",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        conditions={
            "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE": "table id of the position and of "
            "the table differ",
        },
        check="delta-position",
    ),
    Explanation(
        id="delta-source-rewritten",
        title="rows of the Delta source were updated or deleted",
        cause="A stream reads what is added. An UPDATE, MERGE or DELETE rewrote files of the "
        "source, and Delta will not guess what the stream should do with it.",
        look_at=("the version that the message names in the table's history",),
        retry="does not help",
        retry_why="skipChangeCommits leaves such versions out; ignoreChanges sends rows of "
        "rewritten files again; the change data feed gives the changes themselves",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("detected a data update", "detected deleted data"),
        conditions={
            "DELTA_SOURCE_TABLE_IGNORE_CHANGES": "files were rewritten by an update or a merge",
            "DELTA_SOURCE_IGNORE_DELETE": "files were deleted",
        },
        check="delta-position",
    ),
    Explanation(
        id="delta-schema-moved",
        title="the schema of the Delta source changed",
        cause="A column was added, dropped, renamed or retyped. Additions need a restart only. "
        "Drops and renames need a schema log (schemaTrackingLocation) and a word from you.",
        look_at=("which change it was: the message shows both schemas",),
        retry="helps",
        retry_why="for DELTA_STREAMING_METADATA_EVOLUTION and for added columns; for the others "
        "only after the setting that the message names",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("detected schema change",),
        conditions={
            "DELTA_SCHEMA_CHANGED*": "the source has another schema than when the query started",
            "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE*": "a column was dropped, renamed or "
            "retyped, and the stream has no schema log to follow it",
            "DELTA_STREAMING_METADATA_EVOLUTION": "the schema log was moved on; starting again is "
            "the cure",
            "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION": "you have to say "
            "that the change is meant, by the setting in the message",
        },
        check="delta-position",
    ),
    Explanation(
        id="delta-source-other",
        title="Delta refuses to stream from this table as asked",
        cause="An option of the source, a starting version or the table's protocol does not allow "
        "it.",
        look_at=("the options of the source", "what follows the name in the message"),
        retry="does not help",
        retry_why="until the option or the table is right",
        next_commands=(SHOW,),
        conditions={
            "DELTA_INVALID_SOURCE_*": "a position or an option of the source cannot be right",
            "DELTA_STREAMING_*": "a rule of Delta for streams is broken",
        },
        check="delta-position",
    ),
    Explanation(
        id="delta-half-set-transaction",
        title="only one of txnAppId and txnVersion is set",
        cause="In foreachBatch Delta knows a batch that comes again only by both options "
        "together. One alone is refused.",
        look_at=(
            "both options in every write of the function, txnVersion = the batch id",
            "one txnAppId for each table, and a new one after a reset",
        ),
        retry="does not help",
        retry_why="until both are set",
        next_commands=(SHOW, "holdfast audit JOB"),
        conditions={
            "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS": "one of the two options is missing or wrong",
        },
    ),
)
