"""Cases of HF472."""

from dataclasses import replace

import pytest

from tests.rules.change.queries import SHAPE, counted, counting
from tests.rules.made_up import found, judged


@pytest.mark.parametrize(
    ("change", "said", "refused"),
    [
        ({"keys": ("sensor: STRING", "day: DATE")}, "[sensor: STRING] -> [sensor: STRING;", True),
        ({"keys": ("sensor: BIGINT",)}, "[sensor: STRING] -> [sensor: BIGINT]", True),
        ({"values": ("sum(x): BIGINT",)}, "[count(1): BIGINT] -> [sum(x): BIGINT]", False),
        ({"values": ("avg(x): DOUBLE",)}, "[count(1): BIGINT] -> [avg(x): DOUBLE]", True),
    ],
)
def test_other_keys_or_values_are_unsafe(
    change: dict[str, tuple[str, ...]], said: str, refused: bool
) -> None:
    given = counted(counting(shapes=(replace(SHAPE, **change),)))
    (finding,) = found(given, "HF472")
    assert said in finding.message
    assert ("refuses" in finding.consequence) == refused
    assert judged(given).answer == "unsafe"


def test_records_without_shapes_still_tell_their_keys() -> None:
    after = counting(stateful=("Aggregate: sensor, day",), shapes=None)
    (finding,) = found(counted(after), "HF472")
    assert "Aggregate: sensor -> Aggregate: sensor, day" in finding.message


def test_other_operators_are_said_elsewhere_and_the_same_is_fine() -> None:
    assert not found(counted(counting(stateful=("Deduplicate: id",))), "HF472")
    assert not found(counted(counting()), "HF472")
