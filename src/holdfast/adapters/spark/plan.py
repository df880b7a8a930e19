"""What the analysed plan of a query says of it: state, chance, Python functions.

Read through py4j from Catalyst's own tree. Nothing is run for it, and no pickled function is
opened. Names come without Catalyst's numbers (`#123`), which change from start to start. A plan
that cannot be looked through to its end says so by a last word, NOT_LOOKED_AT, and harms nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JNetworkError

from holdfast.core.guards.repeatable_transform import NOT_LOOKED_AT
from holdfast.core.limits import PLAN_STEPS_MAX

_NEW_AT_EVERY_START = re.compile(
    # Catalyst's number of an expression; the name of a frame that was given to spark.sql
    r"#\d+L?|_pyspark_[0-9a-f]{32}\."
)
_KEYS: Mapping[str, str] = {
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
_WITHOUT_KEYS = frozenset({"GlobalLimit"})
_PYTHON = ("PythonUDF", "PythonUDAF", "PythonUDTF")


def nondeterministic_expressions(frame: Any) -> tuple[str, ...]:
    """Names of what Spark itself calls nondeterministic in the plan, once each, sorted.

    A user's function has its name behind a colon: `PythonUDF:make_id`.
    """
    steps = _Steps()
    found = set()
    with _as_far_as_it_goes(steps):
        for node in _nodes(_analysed(frame), steps, lambda node: True):
            # Spark calls a sample deterministic, by the seed drawn when the query was made.
            if node.nodeName() == "Sample":
                found.add("Sample")
            if node.deterministic():
                continue
            for expression in _expressions(node, steps, lambda each: not each.deterministic()):
                if not _has_nondeterministic_child(expression):
                    found.add(_name(expression))
    return (*sorted(found), *steps.rest())


def stateful_operators(frame: Any) -> tuple[str, ...]:
    """The operators of the stream that keep state or a watermark, in the order of the plan.

    The same query gives the same words at every start: `Aggregate: sensor`, `Join: Inner, (a = b)`.
    """
    steps = _Steps()
    words: list[str] = []
    with _as_far_as_it_goes(steps):
        for node in _nodes(_analysed(frame), steps, lambda node: node.isStreaming()):
            words += _operator(node)
    return (*words, *steps.rest())


def python_functions(frame: Any) -> Mapping[str, str]:
    """Names of the Python functions in the plan, each with an empty source.

    A plan carries a function as pickled bytes, which are not opened: a source comes from
    transform_source.
    """
    steps = _Steps()
    names = set()
    with _as_far_as_it_goes(steps):
        for node in _nodes(_analysed(frame), steps, lambda node: True):
            for expression in _expressions(node, steps, lambda each: True):
                if expression.nodeName() in _PYTHON:
                    names.add(str(expression.name()))
    return dict.fromkeys(sorted(names), "")


class _Steps:
    """Counts what was looked at, and says when it was enough."""

    def __init__(self) -> None:
        self._left = PLAN_STEPS_MAX

    def take(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def stop(self) -> None:
        self._left = -1

    def rest(self) -> tuple[str, ...]:
        return (NOT_LOOKED_AT,) if self._left < 0 else ()


@contextmanager
def _as_far_as_it_goes(steps: _Steps) -> Iterator[None]:
    """A node that does not answer as we expect ends the look, and nothing else."""
    try:
        yield
    except Py4JNetworkError:
        raise  # the Java process has died, which is more than a node
    except Py4JError:
        steps.stop()


def _analysed(frame: Any) -> Any:
    return frame._jdf.queryExecution().analyzed()


def _nodes(root: Any, steps: _Steps, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """Nodes of a plan from the top, left before right; below an unwanted one nothing is wanted."""
    waiting = [root]
    while waiting and steps.take():
        node = waiting.pop()
        if wanted(node):
            yield node
            waiting += reversed(list(_elements(node.children())))


def _expressions(node: Any, steps: _Steps, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    for expression in _elements(node.expressions()):
        yield from _nodes(expression, steps, wanted)


def _has_nondeterministic_child(expression: Any) -> bool:
    """An expression is nondeterministic by itself where none of its children is."""
    return any(not child.deterministic() for child in _elements(expression.children()))


def _name(expression: Any) -> str:
    kind = str(expression.nodeName())
    return f"{kind}:{expression.name()}" if kind in _PYTHON else kind


def _operator(node: Any) -> Iterator[str]:
    kind = str(node.nodeName())
    if kind == "EventTimeWatermark":
        yield f"{kind}: {_text(node.eventTime())} {node.delay()}"
    elif kind == "Join":
        # With one side that does not stream there is nothing to remember.
        if node.left().isStreaming() and node.right().isStreaming():
            condition = node.condition()
            on = _text(condition.get()) if condition.isDefined() else "no condition"
            yield f"{kind}: {node.joinType().sql()}, {on}"
    elif kind in _KEYS:
        yield f"{kind}: {', '.join(_keys(node, _KEYS[kind]))}".rstrip(": ")
    elif kind in _WITHOUT_KEYS:
        yield kind


def _keys(node: Any, method: str) -> Iterator[str]:
    try:
        keys = getattr(node, method)()
    except Py4JError:
        return  # another version of Spark names them otherwise; the operator itself is said
    yield from (_text(key) for key in _elements(keys))


def _text(expression: Any) -> str:
    return _NEW_AT_EVERY_START.sub("", str(expression.sql()))


def _elements(sequence: Any) -> Iterator[Any]:
    """Elements of a Scala Seq, in order."""
    elements = sequence.iterator()
    while elements.hasNext():
        yield elements.next()
