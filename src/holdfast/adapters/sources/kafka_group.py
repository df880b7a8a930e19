"""Write positions as those of a consumer group, for the dashboards that look at groups.

No group that is somebody's is touched: not one with members, not one whose offsets we did not
write, and not one of our own marks.
"""

from collections.abc import Mapping
from typing import Any

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from holdfast.adapters.sinks.kafka.client import KafkaClient, code_of
from holdfast.errors import RefusedError, UnreachableError

OURS = "holdfast-"
"""Groups that begin so hold the marks of our sink; an offset more or less there loses a batch."""

NOTE = "holdfast lag --mirror-to"
"""What stands as metadata of each offset, and tells ours from anybody's."""

_FREE = (ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD)


def mirror_offsets(client: KafkaClient, group: str, offsets: Mapping[tuple[str, int], int]) -> int:
    """Write the offsets; how many. Raises RefusedError where the group is not free."""
    if group.startswith(OURS):
        raise _refused(group, "its name is one of those under which Holdfast keeps its own marks")
    admin = client.admin()
    _check_members(client, admin, group)
    _check_offsets(client, admin, group)
    places = [
        TopicPartition(topic, number, offset, NOTE)
        for (topic, number), offset in sorted(offsets.items())
    ]
    with client.asking(f"writing the offsets of group {group!r}"):
        asked = admin.alter_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group, places)], request_timeout=client.wait_s
        )
        written = _answer(client, asked[group]).topic_partitions or []
    failed = [place for place in written if place.error is not None]
    if failed:
        raise UnreachableError(
            f"{len(failed):,} of {len(places):,} offsets of group {group!r} were not written: "
            f"{failed[0].error.str()}",
            next_action="check the rights for the group, and try again",
        )
    return len(written)


def _check_members(client: KafkaClient, admin: AdminClient, group: str) -> None:
    with client.asking(f"looking at group {group!r}"):
        asked = admin.describe_consumer_groups([group], request_timeout=client.wait_s)
        try:
            found = _answer(client, asked[group])
        except KafkaException as error:
            if code_of(error) == KafkaError.GROUP_ID_NOT_FOUND:
                return  # how brokers since 4.0 say that there is none
            raise
    if found.members or found.state not in _FREE:
        members = len(found.members)
        raise _refused(group, f"it is in use (state {found.state.name}, members: {members:,})")


def _check_offsets(client: KafkaClient, admin: AdminClient, group: str) -> None:
    with client.asking(f"looking at the offsets of group {group!r}"):
        asked = admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group)], request_timeout=client.wait_s
        )
        try:
            held = _answer(client, asked[group]).topic_partitions or []
        except KafkaException as error:
            if code_of(error) == KafkaError.GROUP_ID_NOT_FOUND:
                return
            raise
    others = [place for place in held if place.offset >= 0 and place.metadata != NOTE]
    if others:
        raise _refused(group, f"it has {len(others):,} offsets that Holdfast did not write")


def _answer(client: KafkaClient, future: Any) -> Any:
    try:
        return future.result(client.wait_s + 1)
    except TimeoutError:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None


def _refused(group: str, why: str) -> RefusedError:
    return RefusedError(
        f"group {group!r} is left as it is: {why}",
        subject=group,
        next_action="name a group that nobody else uses, such as one with the job's name",
    )
