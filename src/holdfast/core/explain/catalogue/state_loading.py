"""State that cannot be loaded or written: files missing, damaged, too new; memory."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, DELETE_STATE
from holdfast.core.explain.catalogue.commands import DIFF, SHOW, STATE, VERIFY
from holdfast.core.explain.explanation import Explanation

_LOAD: Final = "CANNOT_LOAD_STATE_STORE"

STATE_LOADING: Final = (
    Explanation(
        id="state-file-missing",
        title="a state file that the batch has to load is not there",
        cause="A batch loads the newest snapshot and every change after it, in every partition; "
        "one of these files is gone. Most often a stateful operator was added to a query that had "
        "none, a lifecycle rule deleted old files, the checkpoint was copied without them, or the "
        "batch before was committed although its state never was (a foreachBatch that does not "
        "read all its rows).",
        look_at=(
            "whether the query got a new aggregation, join or duplicate filter",
            "for which batches the state of every partition can still be loaded",
            "whether foreachBatch returns early or only shows some rows",
        ),
        retry="does not help",
        retry_why="the file stays missing",
        next_commands=(STATE, DIFF),
        harmful=(DELETE_CHECKPOINT, DELETE_STATE),
        fragments=(
            "error reading delta file … does not exist",
            "error reading snapshot file … does not exist",
            "error reading streaming state file of",
            "failed to commit … .delta",
            "changelog/delta file not found",
        ),
        conditions={
            _LOAD: "the state of a partition could not be loaded; what follows says why",
            f"{_LOAD}.CANNOT_READ_DELTA_FILE_NOT_EXISTS": "a .delta file of the HDFS provider is "
            "missing",
            f"{_LOAD}.CANNOT_READ_MISSING_SNAPSHOT_FILE": "a .snapshot file is missing",
            f"{_LOAD}.CANNOT_READ_STREAMING_STATE_FILE": "a state file is missing; most often the "
            "operator is new to this checkpoint",
            f"{_LOAD}.SNAPSHOT_PARTITION_ID_NOT_FOUND": "the partition that was asked for has no "
            "folder in this operator's state",
            f"{_LOAD}.UNCATEGORIZED": "it failed in a way that Spark has no name for: the "
            "innermost cause says more",
            f"{_LOAD}.UNEXPECTED_VERSION": "a version below 0 was asked for: the commit log and "
            "the state do not belong together, or it is a mistake of the caller",
        },
        check="state",
        check_of={_LOAD: "maybe-state", f"{_LOAD}.UNCATEGORIZED": "maybe-state"},
    ),
    Explanation(
        id="state-file-damaged",
        title="a state file is there and does not hold what it should",
        cause="The bytes of a delta, snapshot, changelog or RocksDB file are not those that were "
        "written: cut off, overwritten, or from another attempt of the same batch. With state "
        "format 1 a failed attempt and its repetition use the same names.",
        look_at=(
            "the file that the message names, its size and its time",
            "disk and memory faults of the machine that wrote it",
            "whether two drivers ran on this checkpoint",
        ),
        retry="may help",
        retry_why="if it was damaged on the way only; a damaged file in the store stays so",
        next_commands=(VERIFY, STATE),
        harmful=(DELETE_STATE, DELETE_CHECKPOINT),
        fragments=(
            "sst file size mismatch",
            "manifest-… may be corrupted",
            "key size cannot be",
            "value size cannot be",
            "cannot read rocksdb checkpoint metadata",
            "checksum verification failed, the file may be corrupted",
            "row checksum verification failed",
            "rocksdb … version id mismatch",
            "old file + new checksum",
        ),
        conditions={
            f"{_LOAD}.CANNOT_READ_CHECKPOINT": "the metadata inside a RocksDB snapshot has "
            "another version line than this Spark writes, or none",
            f"{_LOAD}.CANNOT_READ_DELTA_FILE_KEY_SIZE": "a .delta file says that a key has an "
            "impossible length: it is damaged or has another codec",
            f"{_LOAD}.CANNOT_READ_SNAPSHOT_FILE_KEY_SIZE": "a .snapshot file says that a key has "
            "an impossible length",
            f"{_LOAD}.CANNOT_READ_SNAPSHOT_FILE_VALUE_SIZE": "a .snapshot file says that a value "
            "has an impossible length",
            f"{_LOAD}.UNEXPECTED_FILE_SIZE": "a RocksDB file has another size than the snapshot "
            "that refers to it says",
            "CHECKPOINT_FILE_CHECKSUM_VERIFICATION_FAILED": "a state file and the .crc file beside "
            "it do not agree; after a failed batch with state format 1 the checksum can be of "
            "another attempt than the file",
            "STATE_STORE_ROW_CHECKSUM_VERIFICATION_FAILED": "one row of the state and its own "
            "checksum do not agree",
            "STATE_STORE_UNEXPECTED_EMPTY_FILE_IN_ROCKSDB_ZIP": "RocksDB handed over an empty file "
            "while a snapshot was being packed; nothing was written",
        },
        check="damage",
    ),
    Explanation(
        id="state-snapshot-broken",
        title="no usable snapshot of RocksDB leads to the version that is needed",
        cause="State is a snapshot plus the changes after it. The snapshot is damaged or missing, "
        "or the chain of changes (the lineage of state format 2) does not reach it, and Spark's "
        "own repair from older snapshots found nothing that works either.",
        look_at=(
            "for which batches the state can still be loaded",
            "whether files of state/ were deleted, or restored from a copy of another time",
        ),
        retry="does not help",
        retry_why="Spark has tried older snapshots already where it can (4.2 and newer)",
        next_commands=(STATE, VERIFY),
        harmful=(DELETE_STATE, DELETE_CHECKPOINT),
        fragments=(
            "attempt to auto repair using snapshot",
            "cannot find a base snapshot checkpoint",
            "invalid checkpoint lineage",
        ),
        conditions={
            f"{_LOAD}.AUTO_SNAPSHOT_REPAIR_FAILED": "the newest snapshot and every older one that "
            "was tried in its place cannot be loaded",
            f"{_LOAD}.CANNOT_FIND_BASE_SNAPSHOT_CHECKPOINT": "none of the snapshots that the "
            "lineage names is there",
            f"{_LOAD}.INVALID_CHECKPOINT_LINEAGE": "the chain of versions inside a changelog does "
            "not fit together",
        },
        check="state",
        check_of={f"{_LOAD}.AUTO_SNAPSHOT_REPAIR_FAILED": "damage"},
    ),
    Explanation(
        id="state-too-new",
        title="the state was written by a newer Spark",
        cause="The first bytes of a changelog name a version that this Spark does not know. The "
        "checkpoint was run on a newer Spark in between, or the file is damaged at its beginning.",
        look_at=("the Spark version that ran last", "changelogs of the newest version"),
        retry="does not help",
        retry_why="run it with the newer Spark; there is no way back for its state",
        next_commands=(STATE,),
        harmful=(DELETE_CHECKPOINT, DELETE_STATE),
        fragments=("the change log reader version cannot be",),
        conditions={
            f"{_LOAD}.INVALID_CHANGE_LOG_READER_VERSION": "a changelog has a version that this "
            "Spark cannot read",
            f"{_LOAD}.INVALID_CHANGE_LOG_WRITER_VERSION": "a changelog was to be written in a "
            "version that this Spark does not have",
        },
        check="maybe-newer",
    ),
    Explanation(
        id="state-memory",
        title="the state does not fit into memory",
        cause="The HDFS provider keeps all state of a partition on the Java heap, twice for a "
        "moment while it loads; RocksDB keeps it outside the heap, where the container's limit "
        "counts. The state has outgrown what the executors have.",
        look_at=(
            "stateOperators.memoryUsedBytes and numRowsTotal in the progress events",
            "whether a watermark lets old state go at all",
            "executor memory and memoryOverhead",
        ),
        retry="may help",
        retry_why="with more memory; the checkpoint itself is sound",
        next_commands=(STATE,),
        harmful=(DELETE_STATE,),
        fragments=(
            "because of an out of memory exception",
            "java.lang.outofmemoryerror",
            "gc overhead limit exceeded",
            "state store … out of memory",
        ),
        conditions={
            f"{_LOAD}.HDFS_STORE_PROVIDER_OUT_OF_MEMORY": "the heap was full while the HDFS "
            "provider loaded a partition",
            f"{_LOAD}.ROCKSDB_STORE_PROVIDER_OUT_OF_MEMORY": "memory ran out while RocksDB loaded "
            "a partition",
        },
    ),
    Explanation(
        id="state-lock",
        title="the state of a partition is still held by another thread",
        cause="An earlier attempt of the task, or the maintenance thread, has not let go of the "
        "RocksDB instance: a task that hangs in a Python function, a slow upload, or a query that "
        "was stopped and started again at once.",
        look_at=(
            "the stack of the thread that holds it: the message shows it",
            "whether the same query runs twice in this Spark",
        ),
        retry="may help",
        retry_why="the lock goes with the process; nothing on storage is wrong",
        next_commands=(SHOW, "holdfast status"),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("rocksdb instance could not be acquired",),
        conditions={
            f"{_LOAD}.UNRELEASED_THREAD_ERROR": "one thread waited too long for another to give a "
            "RocksDB instance back",
            "STATE_STORE_INVALID_STAMP": "a task used a state store that was handed to another "
            "one meanwhile",
            "STATE_STORE_INVALID_STATE_MACHINE_TRANSITION": "a state store was asked to do "
            "something in the wrong order, such as committing after it was given back",
            "STATE_STORE_OPERATION_OUT_OF_ORDER": "an operator used its state store in the wrong "
            "order; Spark calls it a mistake of its own",
        },
    ),
    Explanation(
        id="state-not-writable",
        title="the state of a batch could not be written",
        cause="A task could not store its changes: the store refused, a rename failed, the disk of "
        "the executor is full, or the task was cancelled in the middle. The batch is not "
        "committed, and runs again.",
        look_at=("the innermost cause", "space and permissions, on the executors as well"),
        retry="may help",
        retry_why="the batch is simply run again, from the state before it",
        next_commands=(SHOW,),
        harmful=(DELETE_STATE,),
        conditions={
            "CANNOT_WRITE_STATE_STORE": "state files could not be written",
            "CANNOT_WRITE_STATE_STORE.CANNOT_COMMIT": "the state of a partition could not be "
            "committed at the end of its task",
            f"{_LOAD}.FAILED_TO_GET_CHANGELOG_WRITER": "the changelog of the new version could "
            "not be opened for writing",
        },
        fragments=("error writing state store files", "cannot perform commit during state"),
        check="runs-again",
    ),
    Explanation(
        id="state-directory-missing",
        title="the query is stateful, and state/ is empty or missing",
        cause="Either state/ was deleted or not copied, or the query had no stateful operator when "
        "it made this checkpoint and has one now. There is nothing that it could go on from.",
        look_at=("whether the query was changed since", "a copy of state/ of the same time"),
        retry="does not help",
        retry_why="on Spark 4.1 and older it may start, with state from nothing and wrong results",
        next_commands=(SHOW, DIFF),
        harmful=(DELETE_CHECKPOINT, DELETE_STATE),
        fragments=("because the state directory is empty or missing",),
        conditions={
            "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY": "batches were done, operators "
            "want state, and there is none",
        },
        check="state-directory",
    ),
    Explanation(
        id="state-ids-lost",
        title="the batch in flight was written, and the ids of its state were not",
        cause="With state format 2 the commit names the state files. The query died between the "
        "sink's commit and commits/N. At the restart the sink knows the batch and skips it, so its "
        "plan is not executed, no state ids come back, and the commit cannot be written. Every "
        "start ends in the same way.",
        look_at=(
            "the newest of offsets/ and of commits/: one batch in between",
            "whether the sink holds that batch: Delta's history, _spark_metadata",
        ),
        retry="does not help",
        retry_why="every start skips the batch again; the sink has to be set back by one batch, "
        "so that it is executed",
        next_commands=(STATE,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("checkpointinfo length: 0",),
        check="format-2-in-flight",
    ),
    Explanation(
        id="state-base-mismatch",
        title="a partition built on another state than the one that was committed",
        cause="With state format 2 every partition says from which version it went on. One went on "
        "from a version that the commit does not name: an executor kept an old copy, or files of "
        "two drivers are mixed.",
        look_at=("whether two drivers ran on this checkpoint", "executors that hung and came back"),
        retry="may help",
        retry_why="executors then load the committed version afresh",
        next_commands=(STATE, "holdfast status"),
        harmful=(DELETE_STATE,),
        conditions={
            "STATE_STORE_BASE_CHECKPOINT_ID_MISMATCH": "the id that a partition began with is not "
            "the one of the last commit",
        },
    ),
    Explanation(
        id="state-commits-missing",
        title="not every partition committed its state: foreachBatch did not read all its rows",
        cause="Spark counts the state commits of a batch. Some are missing, because the function "
        "looked at a part of its DataFrame only (show, limit, head, isEmpty), returned early, or "
        "swallowed an error. PySpark shows it as an exception in awaitResult. The commit file "
        "exists already.",
        look_at=("your foreachBatch: early returns, show, limit, try/except",),
        retry="does not help",
        retry_why="until the function reads every row; the next batch then may not find its state",
        next_commands=(STATE,),
        harmful=(DELETE_STATE,),
        fragments=("state store commit validation failed",),
        conditions={
            "STATE_STORE_COMMIT_VALIDATION_FAILED": "fewer state commits arrived than there are "
            "partitions and stores",
        },
        check="maybe-state",
    ),
)
