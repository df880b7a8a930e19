"""Catalyst's tree by py4j: walked within a limit, told in words that stay the same."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JNetworkError

from holdfast.core.guards.repeatable_transform import NOT_LOOKED_AT
from holdfast.core.limits import PLAN_STEPS_MAX

_NEW_AT_EVERY_START = re.compile(
    # Catalyst's number of an expression; the name of a frame that was given to spark.sql
    r"#\d+L?|_pyspark_[0-9a-f]{32}\."
)


class Steps:
    """Counts what was looked at, and says when it was enough."""

    def __init__(self) -> None:
        self._left = PLAN_STEPS_MAX

    def take(self) -> bool:
        """Count one more; whether it may still be looked at."""
        self._left -= 1
        return self._left >= 0

    def stop(self) -> None:
        """End the look before its end."""
        self._left = -1

    def rest(self) -> tuple[str, ...]:
        """What is said of the part that was not looked at."""
        return (NOT_LOOKED_AT,) if self._left < 0 else ()


@contextmanager
def as_far_as_it_goes(steps: Steps) -> Iterator[None]:
    """A node that does not answer as we expect ends the look, and nothing else."""
    try:
        yield
    except Py4JNetworkError:
        raise  # the Java process has died, which is more than a node
    except Py4JError:
        steps.stop()


def analysed(frame: Any) -> Any:
    """The analysed plan of a DataFrame."""
    return frame._jdf.queryExecution().analyzed()


def nodes(root: Any, steps: Steps, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """Nodes of a plan from the top, left before right; below an unwanted one nothing is wanted."""
    waiting = [root]
    while waiting and steps.take():
        node = waiting.pop()
        if wanted(node):
            yield node
            waiting += reversed(list(elements(node.children())))


def expressions(node: Any, steps: Steps, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """Expressions of a node with what is below them, as far as wanted."""
    for expression in elements(node.expressions()):
        yield from nodes(expression, steps, wanted)


def text_of(expression: Any) -> str:
    """As SQL, without what is new at every start."""
    return _NEW_AT_EVERY_START.sub("", str(expression.sql()))


def elements(sequence: Any) -> Iterator[Any]:
    """Elements of a Scala Seq, in order."""
    rest = sequence.iterator()
    while rest.hasNext():
        yield rest.next()
