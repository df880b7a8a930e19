"""Reading state with Spark's own data sources, `statestore` and `state-metadata`."""

from typing import Final

from holdfast.core.explain.catalogue.commands import STATE
from holdfast.core.explain.explanation import Explanation

STATE_READER: Final = (
    Explanation(
        id="state-reader-options",
        title="the options for reading state do not fit together",
        cause="A read of `statestore` or `state-metadata` was given an option that is missing, "
        "empty, negative or contradicts another. It only reads; the query is not concerned.",
        look_at=("the options of that read: path, batchId, operatorId, storeName, joinSide",),
        retry="does not help",
        retry_why="until the options are right",
        next_commands=(STATE,),
        conditions={
            "STDS_CONFLICT_OPTIONS": "two options that exclude one another",
            "STDS_INVALID_OPTION_VALUE": "an option has a value that cannot be",
            "STDS_INVALID_OPTION_VALUE.IS_EMPTY": "an option is empty",
            "STDS_INVALID_OPTION_VALUE.IS_NEGATIVE": "an option is negative",
            "STDS_INVALID_OPTION_VALUE.WITH_MESSAGE": "an option has a wrong value; the message "
            "says which would be right",
            "STDS_REQUIRED_OPTION_UNSPECIFIED": "an option that is needed is not there",
        },
    ),
    Explanation(
        id="state-reader-nothing-there",
        title="the batch or the state that was to be read is not in this checkpoint",
        cause="Reading state needs a committed batch, its plan with settings, and state of the "
        "operator. One of them is not there: the batch is too old and cleaned up, was never "
        "committed, or the path is not that of the checkpoint.",
        look_at=("which batches the checkpoint keeps, and for which the state can be loaded",),
        retry="does not help",
        retry_why="name a batch that is kept",
        next_commands=(STATE,),
        conditions={
            "STDS_COMMITTED_BATCH_UNAVAILABLE": "no batch was ever committed here",
            "STDS_NO_PARTITION_DISCOVERED_IN_STATE_STORE": "the operator has no partition: the "
            "query is not stateful, or the path is another one",
            "STDS_OFFSET_LOG_UNAVAILABLE": "the plan of that batch is not kept",
            "STDS_OFFSET_METADATA_LOG_UNAVAILABLE": "the plan of that batch has no settings: a "
            "very old Spark wrote it",
            "STDS_MIXED_CHECKPOINT_FORMAT_VERSIONS_NOT_SUPPORTED": "the first and the last batch "
            "that were asked for have different state formats",
        },
        check_of={
            "STDS_COMMITTED_BATCH_UNAVAILABLE": "committed",
            "STDS_NO_PARTITION_DISCOVERED_IN_STATE_STORE": "no-state",
        },
    ),
    Explanation(
        id="state-reader-metadata",
        title="what the state says of itself cannot be read",
        cause="Operator metadata or the schema file is missing or damaged. Checkpoints of Spark "
        "3.5 and older have no operator metadata until a newer one runs them.",
        look_at=("state/<operator>/_metadata", "which Spark last ran the query"),
        retry="may help",
        retry_why="one run on Spark 4 writes the metadata where it never was",
        next_commands=(STATE,),
        conditions={
            "STDS_FAILED_TO_READ_OPERATOR_METADATA": "the metadata of the operators cannot be read",
            "STDS_FAILED_TO_READ_STATE_SCHEMA": "the schema of the state cannot be read",
            "STDS_INTERNAL_ERROR": "a mistake inside Spark's reader; the text after it says where",
        },
        check_of={"STDS_FAILED_TO_READ_OPERATOR_METADATA": "operator-metadata"},
    ),
)
