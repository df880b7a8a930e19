"""Releases of Spark, as far as a checkpoint cares for them: major and minor."""

from collections.abc import Mapping

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known

Release = tuple[int, int]

_PINNED_SINCE: Mapping[str, Release] = {
    # OffsetSeqMetadata.relevantSQLConfs of each release; what stands in every older one is left out
    "spark.sql.streaming.stateStore.encodingFormat": (4, 0),
    "spark.sql.streaming.stateStore.rocksdb.mergeOperatorVersion": (4, 2),
    "spark.sql.streaming.stateStore.rowChecksum.enabled": (4, 2),
    "spark.sql.function.protobufExtensions.enabled": (4, 2),
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": (4, 2),
    "spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled": (4, 3),
    "spark.sql.dropDuplicates.deterministicKeyOrder.enabled": (4, 3),
}


def release_of(version: str | None) -> Release | None:
    """Major and minor of a version such as 4.2.0, None where it is none."""
    parts = (version or "").split(".")
    numbers = [part for part in parts[:2] if part.isascii() and part.isdigit() and len(part) < 4]
    return (int(numbers[0]), int(numbers[1])) if len(numbers) == 2 else None


def starting_release(evidence: Evidence) -> Release | None:
    """The release that would start the query."""
    return release_of(evidence.spark.value) if isinstance(evidence.spark, Known) else None


def oldest_writer(evidence: Evidence) -> Release | None:
    """The oldest release that can have written the newest plan, by the settings that it pins."""
    if not isinstance(evidence.plan, Known):
        return None
    found = [_PINNED_SINCE[name] for name in evidence.plan.value.conf if name in _PINNED_SINCE]
    return max(found, default=None)


def told(release: Release) -> str:
    """As people write it: 4.2."""
    return f"{release[0]}.{release[1]}"
