"""The query is not the one that made the checkpoint."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT
from holdfast.core.explain.catalogue.commands import CONF, DIFF, SHOW, STATE
from holdfast.core.explain.explanation import Explanation

_EVOLUTION: Final = "STREAMING_QUERY_EVOLUTION_ERROR"
_MODE: Final = "STREAMING_OUTPUT_MODE"

QUERY_CHANGES: Final = (
    Explanation(
        id="source-count",
        title="the query has another number of sources than its checkpoint",
        cause="A plan holds one position for each source, in the order of the query's plan, "
        "without names. A source was added or taken away, or one DataFrame is used several times: "
        "a self-join or a union of one frame counts as several sources. Moving the checkpoint is "
        "not the reason.",
        look_at=(
            "how many sources the newest plan has, and when that changed",
            "whether one streaming DataFrame appears twice in the query",
        ),
        retry="does not help",
        retry_why="the old query resumes; the new one needs a checkpoint of its own, or named "
        "sources from its first batch on (Spark 4.2)",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("sources in the checkpoint offsets and now there are",),
        check="sources",
    ),
    Explanation(
        id="operators-changed",
        title="the stateful operators of the query are not those of the checkpoint",
        cause="An aggregation, join or duplicate filter was added, removed or moved. Operators are "
        "numbered by their place in the plan, so one that is added upstream renumbers the others.",
        look_at=("the operators that the checkpoint has", "the difference to the query of before"),
        retry="does not help",
        retry_why="the old query resumes; the new one needs a checkpoint and an output of its own",
        next_commands=(STATE,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("stateful operator name does not match with the operator in state metadata",),
        conditions={
            "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA": "names or numbers of the "
            "operators differ from what state/ says",
        },
        check="stateful",
    ),
    Explanation(
        id="evolution",
        title="named sources or sinks are not used as Spark wants them",
        cause="With source or sink evolution every source and sink has a name, from the first "
        "batch on, each its own, made of letters, digits and underscores. It cannot be switched "
        "on for a checkpoint that began without it.",
        look_at=(
            "spark.sql.streaming.queryEvolution.* of the session and of the checkpoint",
            "name() of every source and sink",
        ),
        retry="does not help",
        retry_why="until names or settings are right; the checkpoint was not changed",
        next_commands=(CONF,),
        harmful=(DELETE_CHECKPOINT,),
        conditions={
            _EVOLUTION: "a rule of named sources or sinks is broken",
            f"{_EVOLUTION}.ASYNC_PROGRESS_TRACKING_NOT_SUPPORTED": "sink evolution and "
            "asynchronous progress tracking exclude one another",
            f"{_EVOLUTION}.CANNOT_ENABLE_ON_EXISTING_CHECKPOINT": "this checkpoint began without "
            "named sources; switch it off again and it resumes",
            f"{_EVOLUTION}.CONTINUOUS_PROCESSING_NOT_SUPPORTED": "sink evolution and continuous "
            "triggers exclude one another",
            f"{_EVOLUTION}.DUPLICATE_SOURCE_NAMES": "two sources have one name",
            f"{_EVOLUTION}.INVALID_SINK_NAME": "the name of a sink has a character that is not "
            "allowed",
            f"{_EVOLUTION}.INVALID_SOURCE_NAME": "the name of a source has a character that is "
            "not allowed",
            f"{_EVOLUTION}.SOURCE_NAMING_NOT_SUPPORTED": "a source has a name and the feature is "
            "off",
            f"{_EVOLUTION}.UNNAMED_STREAMING_SINKS_WITH_ENFORCEMENT": "the sink has no name",
            f"{_EVOLUTION}.UNNAMED_STREAMING_SOURCES_WITH_ENFORCEMENT": "a source has no name",
        },
        check_of={f"{_EVOLUTION}.CANNOT_ENABLE_ON_EXISTING_CHECKPOINT": "offset-version"},
    ),
    Explanation(
        id="output-mode",
        title="the output mode does not fit the query or the sink",
        cause="Append, update and complete each allow some operators and sinks. The query is "
        "refused before it reads a row.",
        look_at=("outputMode of the writer", "whether an aggregation has a watermark"),
        retry="does not help",
        retry_why="the mode or the query has to change",
        next_commands=(SHOW,),
        conditions={
            _MODE: "the output mode cannot be used here",
            f"{_MODE}.INVALID": "there is no output mode of that name",
            f"{_MODE}.UNSUPPORTED_DATASOURCE": "the sink does not take this mode",
            f"{_MODE}.UNSUPPORTED_OPERATION": "an operator of the query does not allow this mode",
        },
    ),
    Explanation(
        id="shuffle-partitions-pinned",
        title="spark.sql.shuffle.partitions is ignored: the checkpoint has pinned it",
        cause="State is spread over a fixed number of partitions. That number, the state provider "
        "and some other settings are written into every plan, and at a start the plan's value "
        "wins over the session's. That is right: state would not be found otherwise.",
        look_at=("the settings that this checkpoint pins",),
        retry="does not help",
        retry_why="it is no error; Spark 4.2 can repartition RocksDB state while the query is "
        "stopped",
        next_commands=(CONF,),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "updating the value of conf",
            "shuffle.partitions … always 200",
            "shuffle.partitions … ignored",
            "number of shuffle partitions … ignored",
        ),
        check="pinned",
        strength="sign",
    ),
    Explanation(
        id="new-code",
        title="can a checkpoint be kept when the code or the jar changes?",
        cause="A checkpoint does not know the code. Filters, projections, output topics and "
        "foreachBatch functions may change; the number and order of sources, stateful operators "
        "and the schema of their state may not. Most of the forbidden changes are noticed at the "
        "start, some never: window length, watermark delay, type of join.",
        look_at=("sources, operators and state schemas of the checkpoint, beside the new query",),
        retry="may help",
        retry_why="try the new code on a copy of the checkpoint with another output",
        next_commands=(STATE, CONF),
        harmful=(DELETE_CHECKPOINT,),
        fragments=(
            "keep the checkpoint when the jar",
            "checkpoint … when the jar changes",
            "checkpoint … after upgrading the jar",
            "same checkpoint … new version of the job",
            "upgrade the application … checkpoint",
        ),
        strength="sign",
    ),
    Explanation(
        id="initial-state",
        title="a stateful query is to begin with state from elsewhere",
        cause="State cannot be filled in by hand. transformWithState and flatMapGroupsWithState "
        "take an initial state at their first batch; other operators take none.",
        look_at=("the initialState argument of the operator", "only at batch 0 of a checkpoint"),
        retry="does not help",
        retry_why="later batches do not look at it",
        next_commands=(STATE,),
        fragments=(
            "initial state … streaming",
            "bootstrap … state store",
            "bootstrap state",
            "initial state … state store",
        ),
        strength="sign",
    ),
    Explanation(
        id="moved-checkpoint",
        title="a path that is stored inside does not lead to this checkpoint",
        cause="Operator metadata of transformWithState and newer joins, and Delta's schema log, "
        "hold absolute paths. The checkpoint was moved or copied, and they point to the old place.",
        look_at=("the place where it lay before", "a copy that still runs there"),
        retry="does not help",
        retry_why="move it back, or write the paths anew with the query stopped",
        next_commands=(SHOW, DIFF),
        harmful=(DELETE_CHECKPOINT,),
        fragments=("delta source metadata path used for execution … is different",),
        check="moved",
    ),
)
