"""Cases of HF473."""

from dataclasses import replace

from tests.rules.change.queries import (
    AGGREGATE,
    SHAPE,
    compared,
    counted,
    counting,
    operator,
    query,
)
from tests.rules.made_up import found, judged


def marked(delay: str) -> object:
    return counting(stateful=(AGGREGATE, f"EventTimeWatermark: at {delay}"))


def test_another_watermark_is_unsafe() -> None:
    given = counted(marked("1 hour"), marked("10 seconds"))
    (finding,) = found(given, "HF473")
    assert "10 seconds" in finding.message and "1 hour" in finding.message
    assert judged(given).answer == "unsafe"


def test_another_window_is_unsafe() -> None:
    def windowed(size: str) -> object:
        return counting(shapes=(replace(SHAPE, made_by=(f"window = {size}",)),))

    (finding,) = found(counted(windowed("60"), windowed("30")), "HF473")
    assert "[window = 30] -> [window = 60]" in finding.message


def test_another_join_is_unsafe() -> None:
    def joined(how: str) -> object:
        return query(stateful=(f"Join: {how}, (a = b)",), shapes=None)

    join = (operator("symmetricHashJoin"),)
    given = compared(joined("INNER"), joined("LEFT OUTER"), operators=join)
    (finding,) = found(given, "HF473")
    assert "INNER" in finding.message and "LEFT OUTER" in finding.message
    assert not found(given, "HF471")


def test_a_watermark_without_state_decides_nothing() -> None:
    before = query(stateful=("EventTimeWatermark: at 10 seconds",))
    after = query(stateful=("EventTimeWatermark: at 1 hour",))
    assert not found(compared(before, after), "HF473")
