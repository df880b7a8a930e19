"""Offline repartitioning of state (Spark 4.2), and what it leaves when it is broken off."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, DELETE_OFFSETS
from holdfast.core.explain.catalogue.commands import CONF, SHOW, STATE
from holdfast.core.explain.explanation import Explanation

_STATE: Final = "STATE_REPARTITION_INVALID_CHECKPOINT"
_PARAMETER: Final = "STATE_REPARTITION_INVALID_PARAMETER"
_REWRITE: Final = "STATE_REWRITER_INVALID_CHECKPOINT"

REPARTITION: Final = (
    Explanation(
        id="repartition-unfinished",
        title="a repartitioning of the state was begun and not finished",
        cause="The newest plan is one of a repartitioning: same positions, another number of "
        "partitions, and no commit. The state is between two layouts, and the query must not run.",
        look_at=("the number of partitions of the two newest plans", "who ran the repartitioning"),
        retry="does not help",
        retry_why="run the repartitioning again with the same number of partitions, to its end",
        next_commands=(CONF, STATE),
        harmful=(DELETE_OFFSETS, DELETE_CHECKPOINT),
        fragments=("unfinished state repartitioning",),
        conditions={
            "STREAMING_UNFINISHED_REPARTITION_DETECTED": "the query was started over a "
            "repartitioning that is not done",
            f"{_STATE}.LAST_BATCH_ABANDONED_REPARTITION": "a repartitioning to another number "
            "was broken off before; that one has to be finished first",
        },
        check="repartition",
    ),
    Explanation(
        id="repartition-not-ready",
        title="this checkpoint cannot be repartitioned as it is",
        cause="Repartitioning needs a stopped query whose newest batch is committed, on RocksDB, "
        "written by Spark 4.0 or newer, with operators that it knows.",
        look_at=(
            "whether a batch is in flight: let the query end with an AvailableNow trigger",
            "the state provider and the operators",
        ),
        retry="may help",
        retry_why="after the batch in flight was finished; the other reasons stay",
        next_commands=(SHOW, STATE),
        harmful=(DELETE_OFFSETS,),
        conditions={
            _STATE: "the checkpoint is not in a state that can be repartitioned",
            f"{_STATE}.LAST_BATCH_FAILED": "the newest batch was not committed. Switching the "
            "check off (enforceExactlyOnceSink) writes that batch's rows twice",
            f"{_STATE}.MISSING_OFFSET_SEQ_METADATA": "a plan has no settings: Spark before 4.0",
            f"{_STATE}.NO_BATCH_FOUND": "no batch was ever planned",
            f"{_STATE}.NO_COMMITTED_BATCH": "no batch was ever committed",
            f"{_STATE}.OFFSET_SEQ_NOT_FOUND": "a plan that is needed is not kept: cleaned up too "
            "early, or deleted",
            f"{_STATE}.SHUFFLE_PARTITIONS_ALREADY_MATCH": "it has that number of partitions "
            "already; nothing to do",
            f"{_STATE}.UNSUPPORTED_OFFSET_SEQ_VERSION": "the plans have a version that cannot be "
            "rewritten",
            f"{_STATE}.UNSUPPORTED_PROVIDER": "the state is not in RocksDB",
            f"{_STATE}.UNSUPPORTED_STATEFUL_OPERATOR": "an operator whose state cannot be spread "
            "anew",
            f"{_STATE}.UNSUPPORTED_TRANSFORM_WITH_STATE_VARIABLE_TYPE": "a state variable of a "
            "kind that cannot be spread anew",
        },
        check_of={
            f"{_STATE}.LAST_BATCH_FAILED": "in-flight",
            f"{_STATE}.NO_COMMITTED_BATCH": "committed",
            f"{_STATE}.NO_BATCH_FOUND": "committed",
            f"{_STATE}.UNSUPPORTED_PROVIDER": "provider",
            f"{_STATE}.SHUFFLE_PARTITIONS_ALREADY_MATCH": "pinned",
            f"{_STATE}.OFFSET_SEQ_NOT_FOUND": "hole",
        },
    ),
    Explanation(
        id="repartition-parameter",
        title="the repartitioning was called with a wrong argument",
        cause="The checkpoint location or the number of partitions is missing or impossible. "
        "Nothing was touched.",
        look_at=("the call",),
        retry="does not help",
        retry_why="until the argument is right",
        next_commands=(SHOW,),
        conditions={
            _PARAMETER: "an argument cannot be right",
            f"{_PARAMETER}.IS_EMPTY": "an argument is empty",
            f"{_PARAMETER}.IS_NOT_GREATER_THAN_ZERO": "the number of partitions must be above 0",
            f"{_PARAMETER}.IS_NULL": "an argument is null",
        },
    ),
    Explanation(
        id="rewriter",
        title="the state cannot be written anew from this checkpoint",
        cause="Rewriting state needs operator metadata of a kind that it knows, and the session's "
        "state format must be that of the commit log.",
        look_at=(
            "spark.sql.streaming.stateStore.checkpointFormatVersion of the session",
            "the version of the newest commit, and state/<operator>/_metadata",
        ),
        retry="may help",
        retry_why="once the session has the checkpoint's state format; the other reasons stay",
        next_commands=(STATE,),
        conditions={
            _REWRITE: "the checkpoint is not in a state that can be rewritten",
            f"{_REWRITE}.MISSING_KEY_ENCODER_SPEC": "a state variable lacks the description of "
            "its keys; Spark calls it a mistake of its own",
            f"{_REWRITE}.MISSING_OPERATOR_METADATA": "there is no operator metadata: no stateful "
            "query, or Spark before 4.0",
            f"{_REWRITE}.STATE_CHECKPOINT_FORMAT_VERSION_MISMATCH": "the session asks for another "
            "state format than the checkpoint has",
            f"{_REWRITE}.UNSUPPORTED_STATE_STORE_METADATA_VERSION": "operator metadata of a "
            "version that this Spark does not know",
        },
        check_of={f"{_REWRITE}.MISSING_OPERATOR_METADATA": "operator-metadata"},
    ),
)
