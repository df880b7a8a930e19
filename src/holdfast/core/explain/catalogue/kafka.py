"""Kafka: what the checkpoint asks for and the broker no longer has."""

from typing import Final

from holdfast.core.explain.advice import DELETE_CHECKPOINT, IGNORE_LOSS
from holdfast.core.explain.catalogue.commands import SHOW
from holdfast.core.explain.explanation import Explanation

_LOSS: Final = "KAFKA_DATA_LOSS"

KAFKA: Final = (
    Explanation(
        id="kafka-data-loss",
        title="Kafka no longer has records that the checkpoint has not read",
        cause="The broker's oldest record is newer than the stored position, or the partition is "
        "gone or shorter than before. Retention passed the position while the query was down, or "
        "the topic was deleted and made again.",
        look_at=(
            "the stored position of every partition, beside the broker's earliest and latest",
            "retention of the topic, against how long the query was down",
            "whether the topic was made anew: its topic id",
        ),
        retry="does not help",
        retry_why="the records are gone from the broker; waiting makes it more, not less",
        next_commands=(SHOW,),
        harmful=(IGNORE_LOSS, DELETE_CHECKPOINT),
        fragments=(
            "some data may have been lost because they are not available in kafka",
            "offset was changed from … some data may have been missed",
            "cannot fetch offset",
            "offsetoutofrangeexception",
            "offsets out of range with no configured reset policy",
        ),
        conditions={
            _LOSS: "records between the stored position and what the broker has are missing",
            f"{_LOSS}.PARTITION_OFFSET_CHANGED": "a partition ends before the stored position: "
            "the topic was made anew, or the broker lost records",
            f"{_LOSS}.PARTITIONS_DELETED": "partitions of the checkpoint are not in the topic",
            f"{_LOSS}.ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO": "a new partition has lost "
            "its first records before it was ever read",
            f"{_LOSS}.COULD_NOT_READ_OFFSET_RANGE": "a range that was planned cannot be read: "
            "retention passed it in between",
            f"{_LOSS}.INITIAL_OFFSET_NOT_FOUND_FOR_PARTITIONS": "no first position was found for "
            "new partitions",
            f"{_LOSS}.START_OFFSET_RESET": "the broker moved the start of a range forward",
        },
        check="kafka-position",
    ),
    Explanation(
        id="kafka-topic-again",
        title="the topic was deleted and made again, and records are skipped without an error",
        cause="Positions in a checkpoint carry no topic id. If the new topic already has more "
        "records than the stored position, Spark goes on from there, and the records before it in "
        "the new topic are never read.",
        look_at=(
            "the topic id and when the topic was made",
            "the stored position against the number of records since then",
        ),
        retry="makes it worse",
        retry_why="every batch moves further away from the records that were skipped",
        next_commands=(SHOW,),
        harmful=(DELETE_CHECKPOINT, IGNORE_LOSS),
        fragments=(
            "topic … re-created",
            "topic … recreated",
            "topic was deleted and created again",
            "deleted and recreated the topic",
        ),
        check="kafka-position",
        strength="sign",
    ),
    Explanation(
        id="kafka-available-now",
        title="partitions of a topic changed while an AvailableNow run was under way",
        cause="Such a run fixes its end at the beginning. Partitions appeared or vanished after "
        "that, or the positions of two looks at the broker do not fit.",
        look_at=("whether partitions were added, or the topic was made anew",),
        retry="may help",
        retry_why="the next run looks at the broker afresh",
        next_commands=(SHOW,),
        harmful=(IGNORE_LOSS,),
        conditions={
            "MISMATCHED_TOPIC_PARTITIONS_BETWEEN_END_OFFSET_AND_PREFETCHED": "the end that was "
            "fixed has other partitions than the topic",
            "KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED": "a task was given another beginning "
            "than it was assigned",
        },
        check="kafka-position",
    ),
    Explanation(
        id="kafka-lag-invisible",
        title="the lag of a Spark query cannot be seen with Kafka's tools",
        cause="Spark keeps positions in the checkpoint and commits none to the consumer group, so "
        "kafka-consumer-groups and dashboards show nothing, or an old group.",
        look_at=("the newest plan of the checkpoint, beside the end of each partition",),
        retry="does not help",
        retry_why="it is no error",
        next_commands=(SHOW,),
        fragments=(
            "consumer lag … spark",
            "consumer group … spark … lag",
            "commit offsets back to kafka",
            "kafka-consumer-groups … spark-kafka-source",
            "lag … not visible … kafka",
        ),
        check="kafka-position",
        strength="sign",
    ),
    Explanation(
        id="kafka-sink-twice",
        title="Kafka's sink writes a batch again after a crash",
        cause="Spark's sink for Kafka is at least once: its producer has no transactions and "
        "remembers nothing, so the batch in flight is sent again.",
        look_at=("whether readers can leave out records with a key that they have seen",),
        retry="makes it worse",
        retry_why="each restart over a batch in flight sends it once more",
        next_commands=(SHOW, "holdfast audit JOB"),
        fragments=(
            "kafka sink … at-least-once",
            "kafka sink … duplicate",
            "duplicate … kafka sink",
            "exactly-once … kafka sink",
        ),
        check="runs-again",
        strength="sign",
    ),
)
