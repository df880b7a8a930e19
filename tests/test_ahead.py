"""An iterator that works ahead: all things, in order, and no thread that stays."""

import threading
from collections.abc import Iterator

import pytest

from holdfast.adapters.ahead import AHEAD, ahead


def running() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "holdfast-ahead"]


def test_all_come_in_order_and_the_thread_ends() -> None:
    with ahead(iter(range(100))) as things:
        assert list(things) == list(range(100))
    assert running() == []


def test_an_error_comes_where_its_thing_would_have() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("here")

    with ahead(failing()) as things:
        assert next(things) == 1
        with pytest.raises(KeyError, match="here"):
            next(things)
    assert running() == []


def test_who_stops_taking_stops_the_work() -> None:
    made: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            made.append(len(made))
            yield made[-1]

    with pytest.raises(RuntimeError), ahead(endless()) as things:
        assert [next(things), next(things)] == [0, 1]
        raise RuntimeError("the connection is gone")
    # What was taken, what is ready, and the one that waits for a place.
    assert len(made) <= 2 + AHEAD + 1 and running() == []
