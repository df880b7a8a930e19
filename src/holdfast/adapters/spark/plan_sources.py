"""Streaming sources of a plan in their order, with the options that they were given."""

from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError, Py4JNetworkError

from holdfast.adapters.spark.plan_tree import elements

_SOURCES_MAX = 2_000
"""Leaves of one plan that are looked at; a large query has a few dozen."""


def source_options(analyzed: Any) -> tuple[Mapping[str, str], ...]:
    """Options of each streaming source; empty for one that does not tell them."""
    leaves = analyzed.collectLeaves()
    count = min(leaves.size(), _SOURCES_MAX)
    found = [leaves.apply(index) for index in range(count)]
    return tuple(_options(leaf) for leaf in found if leaf.isStreaming())


def _options(leaf: Any) -> Mapping[str, str]:
    """`StreamingRelation` keeps them in dataSource, `StreamingRelationV2` in extraOptions."""
    try:
        if str(leaf.nodeName()) == "StreamingRelationV2":
            given = leaf.extraOptions().asCaseSensitiveMap()
            return {str(name): str(given[name]) for name in given}
        pairs = elements(leaf.dataSource().options())
        return {str(pair._1()): str(pair._2()) for pair in pairs}
    except Py4JNetworkError:
        raise  # the Java process has died, which is more than a leaf
    except Py4JError:
        return {}  # a source that is built otherwise, such as one of memory
