"""State whose schema, format or settings do not fit the query any more."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, SCHEMA_CHECK_OFF
from holdfast.core.explain.catalogue.commands import CONF, STATE
from holdfast.core.explain.explanation import Explanation

STATE_RULES: Final = (
    Explanation(
        id="state-schema-changed",
        title="the state was written with another schema than the query has now",
        cause="Grouping keys, aggregates, columns of a join or of a duplicate filter, or their "
        "types are not what they were. Columns that come from schema inference or evolution of a "
        "source count too. Names may change; number and types of fields may not.",
        look_at=(
            "the schemas that the checkpoint holds, beside those of the query",
            "columns that a source added since: a duplicate filter over all columns takes them in",
        ),
        retry="does not help",
        retry_why="the old query resumes; the new one needs a checkpoint and an output of its own",
        next_commands=(STATE,),
        harmful=(SCHEMA_CHECK_OFF, DELETE_CHECKPOINT),
        fragments=(
            "provided schema doesn't match to the schema for existing state",
            "provided key schema does not match",
            "provided value schema does not match",
            "incompatible schema transformation with column family",
        ),
        conditions={
            "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE": "the keys of the state have other fields",
            "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE": "the values of the state have other fields",
            "STATE_STORE_COLUMN_FAMILY_SCHEMA_INCOMPATIBLE": "one state variable has another "
            "schema, in a way that cannot be converted",
            "STATE_STORE_INVALID_VALUE_SCHEMA_EVOLUTION": "with Avro values may evolve, and this "
            "change is none that Avro can resolve",
        },
        check="stateful",
    ),
    Explanation(
        id="state-schema-too-often",
        title="the schema of the state has changed more often than is allowed",
        cause="Every change of a state schema is kept for as long as the query lives, and there is "
        "a limit to how many there may be. A program that changes it at every deployment, or makes "
        "names of state variables from data, reaches it.",
        look_at=("what changes the schema, and whether it must",),
        retry="does not help",
        retry_why="raise the limit that the message names, or take the change back",
        next_commands=(STATE,),
        harmful=(DELETE_CHECKPOINT,),
        conditions={
            "STATE_STORE_STATE_SCHEMA_FILES_THRESHOLD_EXCEEDED": "too many schema files of this "
            "query",
            "STATE_STORE_VALUE_SCHEMA_EVOLUTION_THRESHOLD_EXCEEDED": "too many versions of one "
            "state variable's value",
        },
        check="stateful",
    ),
    Explanation(
        id="state-row-format",
        title="the rows in the state are not laid out as the query reads them",
        cause="Bytes that were read from the state do not look like a row of the expected schema: "
        "another Spark version laid them out differently, an unpinned setting changed, the query "
        "changed in a way that the schema check does not see, or the file is damaged.",
        look_at=(
            "Spark versions before and now",
            "settings that a checkpoint does not pin: session windows' state format, time zone, "
            "case sensitivity, ANSI mode",
        ),
        retry="does not help",
        retry_why="go back to the Spark and the query that wrote the state",
        next_commands=(STATE, CONF),
        harmful=(DELETE_CHECKPOINT, SCHEMA_CHECK_OFF),
        fragments=(
            "failed by state format invalidation",
            "failed to validate written state for",
        ),
        conditions={
            "STATE_STORE_KEY_ROW_FORMAT_VALIDATION_FAILURE": "a key is not laid out as expected",
            "STATE_STORE_VALUE_ROW_FORMAT_VALIDATION_FAILURE": "a value is not laid out as "
            "expected",
            "CANNOT_LOAD_STATE_STORE.KEY_ROW_FORMAT_VALIDATION_FAILURE": "found while the state "
            "was loaded: a key is not laid out as expected",
            "CANNOT_LOAD_STATE_STORE.VALUE_ROW_FORMAT_VALIDATION_FAILURE": "found while the state "
            "was loaded: a value is not laid out as expected",
        },
        check="stateful",
    ),
    Explanation(
        id="state-setting-changed",
        title="a setting or a state variable is not what it was when the state was made",
        cause="Time mode, output mode and the types of state variables are written down with the "
        "state of transformWithState, and must stay. The message names the old and the new value.",
        look_at=("the change in the query's code that brought the new value",),
        retry="does not help",
        retry_why="set the old value; a new one needs a new query",
        next_commands=(STATE, CONF),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("cannot change … between restarts", "cannot change … between query restarts"),
        conditions={
            "STATE_STORE_INVALID_CONFIG_AFTER_RESTART": "a setting of the operator changed",
            "STATE_STORE_INVALID_VARIABLE_TYPE_CHANGE": "a state variable became another kind: "
            "value, list or map",
        },
        check="stateful",
    ),
    Explanation(
        id="state-provider",
        title="the state provider cannot do what the query asks for",
        cause="transformWithState, several column families, state format 2 and reading changes all "
        "need RocksDB. The provider of a checkpoint is pinned at its first batch, so setting "
        "another one later has no effect.",
        look_at=("spark.sql.streaming.stateStore.providerClass as the checkpoint has it",),
        retry="does not help",
        retry_why="the provider is fixed with the first batch",
        next_commands=(CONF,),
        harmful=(DELETE_CHECKPOINT,),
        conditions={
            "STATE_STORE_CHECKPOINT_IDS_NOT_SUPPORTED": "state format 2 was asked of a provider "
            "that has no ids: it needs RocksDB",
            "STATE_STORE_INVALID_PROVIDER": "the class that is named is no state store provider",
            "STATE_STORE_PROVIDER_DOES_NOT_SUPPORT_FINE_GRAINED_STATE_REPLAY": "this provider "
            "cannot replay changes, which snapshotStartBatchId and readChangeFeed need",
            "STATE_STORE_UNSUPPORTED_OPERATION": "an operation that this provider or this store "
            "does not have",
            "STATE_STORE_UNSUPPORTED_OPERATION_BINARY_INEQUALITY": "a key column can be equal "
            "without equal bytes (a collation), which state cannot be looked up by",
        },
        check_of={
            "STATE_STORE_CHECKPOINT_IDS_NOT_SUPPORTED": "provider",
            "STATE_STORE_PROVIDER_DOES_NOT_SUPPORT_FINE_GRAINED_STATE_REPLAY": "provider",
        },
    ),
    Explanation(
        id="state-column-family",
        title="a state variable, its name or its ordering does not fit",
        cause="Spark keeps each state variable in a column family of RocksDB, and timers and range "
        "scans in families of their own. A name is not allowed, a family is missing, or a key "
        "cannot be ordered as asked. Names come from your StatefulProcessor; the rest is internal, "
        "and points at code of another Spark version or at mixed state files.",
        look_at=(
            "names of state variables in your StatefulProcessor",
            "whether the checkpoint was run by two Spark versions",
        ),
        retry="does not help",
        retry_why="the query or the version has to change",
        next_commands=(STATE,),
        conditions={
            "STATE_STORE_CANNOT_CREATE_COLUMN_FAMILY_WITH_RESERVED_CHARS": "the name begins with a "
            "character that Spark keeps for itself, such as $",
            "STATE_STORE_CANNOT_USE_COLUMN_FAMILY_WITH_INVALID_NAME": "the name is empty, has "
            "blanks around it, or is `default`",
            "STATE_STORE_INCORRECT_NUM_ORDERING_COLS_FOR_RANGE_SCAN": "a range scan was set up "
            "over no columns, or over more than there are",
            "STATE_STORE_INCORRECT_NUM_PREFIX_COLS_FOR_PREFIX_SCAN": "a prefix scan was set up "
            "over no columns, or over all of them",
            "STATE_STORE_NULL_TYPE_ORDERING_COLS_NOT_SUPPORTED": "a column of the null type cannot "
            "be ordered by",
            "STATE_STORE_VARIABLE_SIZE_ORDERING_COLS_NOT_SUPPORTED": "a column of variable length, "
            "such as a string, cannot be ordered by",
            "STATE_STORE_UNKNOWN_INTERNAL_COLUMN_FAMILY": "the state has an internal family that "
            "this Spark does not know: a newer one wrote it",
            "STATE_STORE_UNSUPPORTED_OPERATION_ON_MISSING_COLUMN_FAMILY": "a family is used that "
            "was never made in this state",
        },
        check="stateful",
    ),
    Explanation(
        id="join-state",
        title="the state of a stream-stream join does not fit together",
        cause="A join keeps rows and counts of both sides in several stores. They disagree, or the "
        "formats asked for cannot be combined. After a rewind in which state files were left, or "
        "after a move of the checkpoint, stores of different times can be mixed.",
        look_at=(
            "whether the checkpoint was cut back, moved or restored",
            "spark.sql.streaming.join.stateFormatVersion as pinned",
        ),
        retry="does not help",
        retry_why="restore state/ as a whole; skipping null values hides rows that are lost",
        next_commands=(STATE, CONF),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("inconsistency in stream-stream join state",),
        conditions={
            "STREAM_STREAM_JOIN_INCONSISTENT_STATE": "the stores of a join contradict one another",
            "STREAM_STREAM_JOIN_INCONSISTENT_STATE.NULL_VALUE": "a row that is counted is not "
            "there",
            "STREAM_STREAM_JOIN_INCONSISTENT_STATE.RANGE_SCAN_TIMESTAMP_OUT_OF_RANGE": "a search "
            "by time gave a row outside the times that were asked for",
            "STREAM_STREAM_JOIN_INCOMPATIBLE_STATE_STORE_CONFIGS": "the join's state format needs "
            "another version of RocksDB's merge operator than is set",
        },
        check="maybe-state",
    ),
    Explanation(
        id="old-join-state",
        title="state of an outer join or of decimal sums from Spark 2 is refused",
        cause="Spark 3 reads the state of outer joins and of sums of decimals differently, and "
        "refuses what Spark 2 wrote rather than give wrong rows.",
        look_at=("which Spark made the checkpoint",),
        retry="does not help",
        retry_why="finish on the old Spark, or begin a new query on a new output",
        next_commands=(STATE,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "stream-stream outer join … state format",
            "state format version 1 … join",
            "outer join state refused",
        ),
        check="stateful",
    ),
)
