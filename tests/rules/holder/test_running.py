"""Cases of HF431."""

import pytest

from holdfast.core.evidence.around import Holder
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Absent, Known, Unreadable
from tests.rules.made_up import evidence, found, judged


def held(alive: bool | None) -> Evidence:
    holder = Holder(epoch=3, host="a", pid=12, since_ms=0, is_alive=alive)
    return evidence(holder=Known(holder, "lease/3"))


@pytest.mark.parametrize(
    ("alive", "weight"), [(True, "unsafe"), (None, "unknown"), (False, "note")]
)
def test_a_holder_counts_by_whether_it_lives(alive: bool | None, weight: str) -> None:
    assert found(held(alive), "HF431")[0].weight == weight


def test_a_lease_that_cannot_be_read_is_unknown() -> None:
    given = evidence(holder=Unreadable("lease/3", "no answer", "HF007"))
    assert judged(given).answer == "unknown"


def test_a_lease_that_was_given_back_is_free() -> None:
    assert not found(evidence(holder=Absent("lease/3")), "HF431")
