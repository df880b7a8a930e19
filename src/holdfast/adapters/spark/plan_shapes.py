"""What the stateful operators of a plan keep: keys with types, functions, and how keys are made."""

import re
from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError

from holdfast.adapters.spark.plan import KEYS, WITHOUT_KEYS, joins_streams
from holdfast.adapters.spark.plan_tree import (
    Steps,
    analysed,
    as_far_as_it_goes,
    elements,
    nodes,
    text_of,
)
from holdfast.core.running.state_shape import StateShape

_SHORT = 200
"""Longer expressions are those that Catalyst makes of windows; their numbers tell all."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?=L?\b)")


def state_shapes(frame: Any) -> tuple[StateShape, ...]:
    """A shape for each operator that keeps state, in the order of `stateful_operators`.

    Empty where the plan could not be looked through to its end: half of it compares to nothing.
    """
    steps = Steps()
    shapes: list[StateShape] = []
    with as_far_as_it_goes(steps):
        for node in nodes(analysed(frame), steps, lambda node: node.isStreaming()):
            kind = str(node.nodeName())
            if kind in KEYS:
                shapes.append(_shape(node, kind, steps))
            elif kind in WITHOUT_KEYS or joins_streams(node):
                shapes.append(StateShape(kind=kind, keys=(), values=(), made_by=()))
    return () if steps.rest() else tuple(shapes)


def _shape(node: Any, kind: str, steps: Steps) -> StateShape:
    try:
        keys = list(elements(getattr(node, KEYS[kind])()))
    except Py4JError:
        keys = []  # another version of Spark names them otherwise
    return StateShape(
        kind=kind,
        keys=tuple(_typed(key) for key in keys),
        values=tuple(_functions(node, steps)) if kind == "Aggregate" else (),
        made_by=tuple(_made_by(node, keys, steps)),
    )


def _typed(expression: Any) -> str:
    return f"{text_of(expression)}: {expression.dataType().sql()}"


def _functions(node: Any, steps: Steps) -> Iterator[str]:
    """Aggregate functions once each: what is computed from them keeps nothing of its own."""
    seen = set()
    for expression in elements(node.aggregateExpressions()):
        for each in nodes(expression, steps, lambda each: True):
            if str(each.nodeName()) == "AggregateExpression":
                text = _typed(each)
                if text not in seen:
                    seen.add(text)
                    yield text


def _made_by(node: Any, keys: list[Any], steps: Steps) -> Iterator[str]:
    """Keys that a projection below gives their value, each with its expression."""
    wanted = {
        int(key.exprId().id()): text_of(key)
        for key in keys
        if str(key.nodeName()) == "AttributeReference"
    }
    for below in nodes(node, steps, lambda each: each.isStreaming()):
        kind = str(below.nodeName())
        if kind == "Project":
            for each in elements(below.projectList()):
                if str(each.nodeName()) == "Alias" and int(each.exprId().id()) in wanted:
                    name = wanted[int(each.exprId().id())]
                    yield f"{name} = {_digest(text_of(each.child()))}"
        elif kind == "Expand":
            yield from _expanded(below, wanted)


def _expanded(node: Any, wanted: dict[int, str]) -> Iterator[str]:
    """A sliding window: one projection for each window that a row falls into."""
    projections = [list(elements(each)) for each in elements(node.projections())]
    for index, attribute in enumerate(elements(node.output())):
        if int(attribute.exprId().id()) in wanted:
            text = " ".join(text_of(each[index]) for each in projections)
            yield f"{wanted[int(attribute.exprId().id())]} = {_digest(text)}"


def _digest(text: str) -> str:
    if len(text) <= _SHORT:
        return text
    numbers = dict.fromkeys(_NUMBER.findall(text))
    return f"window of {', '.join(numbers)} microseconds" if numbers else text[:_SHORT]
