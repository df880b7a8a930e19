"""Stateful operators by family: what a plan calls them, and what a checkpoint does."""

from collections.abc import Mapping

from holdfast.core.evidence.change import kind_of

LIMIT = "limit"
JOIN = "join"

_OF_PLANS: Mapping[str, str] = {
    "Aggregate": "aggregate",
    "Distinct": "aggregate",
    "Deduplicate": "dedupe",
    "DeduplicateWithinWatermark": "dedupe within watermark",
    "Join": JOIN,
    "FlatMapGroupsWithState": "flatMapGroupsWithState",
    "FlatMapGroupsInPandasWithState": "applyInPandasWithState",
    "TransformWithState": "transformWithState",
    "TransformWithStateInPandas": "transformWithState in Python",
    "TransformWithStateInPySpark": "transformWithState in Python",
    "GlobalLimit": LIMIT,
}
_OF_CHECKPOINTS: Mapping[str, str] = {
    "stateStoreSave": "aggregate",
    "StatefulStreamlineAggregate": "aggregate",
    "sessionWindowStateStoreSaveExec": "session window",
    "dedupe": "dedupe",
    "dedupeWithinWatermark": "dedupe within watermark",
    "symmetricHashJoin": JOIN,
    "flatMapGroupsWithState": "flatMapGroupsWithState",
    "applyInPandasWithState": "applyInPandasWithState",
    "transformWithStateExec": "transformWithState",
    "transformWithStateInPandasExec": "transformWithState in Python",
    "transformWithStateInPySparkExec": "transformWithState in Python",
    "globalLimit": LIMIT,
}


def family_of_word(word: str) -> str:
    """The family of an operator of a plan, such as `Aggregate: sensor`."""
    kind, _, keys = word.partition(":")
    if kind == "Aggregate" and "session_window" in keys:
        return "session window"
    return _OF_PLANS.get(kind_of(word), kind)


def family_of_name(name: str) -> str:
    """The family of an operator by the name in its metadata."""
    return _OF_CHECKPOINTS.get(name, name)
