"""What the analysed plan of a query says of it: state, chance, Python functions.

Read through py4j from Catalyst's own tree. Nothing is run for it, and no pickled function is
opened. Names come without Catalyst's numbers (`#123`), which change from start to start. A plan
that cannot be looked through to its end says so by a last word, NOT_LOOKED_AT, and harms nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from py4j.protocol import Py4JError

from holdfast.adapters.spark.plan_tree import (
    Steps,
    analysed,
    as_far_as_it_goes,
    elements,
    expressions,
    nodes,
    text_of,
)

KEYS: Mapping[str, str] = {
    # operator of Catalyst: the method that gives its keys
    "Aggregate": "groupingExpressions",
    "Deduplicate": "keys",
    "DeduplicateWithinWatermark": "keys",
    "Distinct": "output",
    "FlatMapGroupsWithState": "groupingAttributes",
    "FlatMapGroupsInPandasWithState": "groupingAttributes",
    "TransformWithState": "groupingAttributes",
    "TransformWithStateInPandas": "leftAttributes",
    "TransformWithStateInPySpark": "leftAttributes",
}
WITHOUT_KEYS = frozenset({"GlobalLimit"})
_PYTHON = ("PythonUDF", "PythonUDAF", "PythonUDTF")


def nondeterministic_expressions(frame: Any) -> tuple[str, ...]:
    """Names of what Spark itself calls nondeterministic in the plan, once each, sorted.

    A user's function has its name behind a colon: `PythonUDF:make_id`.
    """
    steps = Steps()
    found = set()
    with as_far_as_it_goes(steps):
        for node in nodes(analysed(frame), steps, lambda node: True):
            # Spark calls a sample deterministic, by the seed drawn when the query was made.
            if node.nodeName() == "Sample":
                found.add("Sample")
            if node.deterministic():
                continue
            for expression in expressions(node, steps, lambda each: not each.deterministic()):
                if not _has_nondeterministic_child(expression):
                    found.add(_name(expression))
    return (*sorted(found), *steps.rest())


def stateful_operators(frame: Any) -> tuple[str, ...]:
    """The operators of the stream that keep state or a watermark, in the order of the plan.

    The same query gives the same words at every start: `Aggregate: sensor`, `Join: Inner, (a = b)`.
    """
    steps = Steps()
    words: list[str] = []
    with as_far_as_it_goes(steps):
        for node in nodes(analysed(frame), steps, lambda node: node.isStreaming()):
            words += _operator(node)
    return (*words, *steps.rest())


def python_functions(frame: Any) -> Mapping[str, str]:
    """Names of the Python functions in the plan, each with an empty source.

    A plan carries a function as pickled bytes, which are not opened: a source comes from
    transform_source.
    """
    steps = Steps()
    names = set()
    with as_far_as_it_goes(steps):
        for node in nodes(analysed(frame), steps, lambda node: True):
            for expression in expressions(node, steps, lambda each: True):
                if expression.nodeName() in _PYTHON:
                    names.add(str(expression.name()))
    return dict.fromkeys(sorted(names), "")


def joins_streams(node: Any) -> bool:
    """With one side that does not stream there is nothing to remember."""
    return str(node.nodeName()) == "Join" and bool(
        node.left().isStreaming() and node.right().isStreaming()
    )


def _has_nondeterministic_child(expression: Any) -> bool:
    """An expression is nondeterministic by itself where none of its children is."""
    return any(not child.deterministic() for child in elements(expression.children()))


def _name(expression: Any) -> str:
    kind = str(expression.nodeName())
    return f"{kind}:{expression.name()}" if kind in _PYTHON else kind


def _operator(node: Any) -> Iterator[str]:
    kind = str(node.nodeName())
    if kind == "EventTimeWatermark":
        yield f"{kind}: {text_of(node.eventTime())} {node.delay()}"
    elif kind == "Join":
        if joins_streams(node):
            condition = node.condition()
            on = text_of(condition.get()) if condition.isDefined() else "no condition"
            yield f"{kind}: {node.joinType().sql()}, {on}"
    elif kind in KEYS:
        yield f"{kind}: {', '.join(_keys(node, KEYS[kind]))}".rstrip(": ")
    elif kind in WITHOUT_KEYS:
        yield kind


def _keys(node: Any, method: str) -> Iterator[str]:
    try:
        keys = getattr(node, method)()
    except Py4JError:
        return  # another version of Spark names them otherwise; the operator itself is said
    yield from (text_of(key) for key in elements(keys))
