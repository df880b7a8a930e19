"""Cases of HF445."""

import pytest

from tests.rules.made_up import evidence, found, in_flight, judged, memory


def test_a_sink_without_memory_may_get_the_rows_twice() -> None:
    given = in_flight(sinks=(memory(None, kind="none", skips="never"),))
    (finding,) = found(given, "HF445")
    assert finding.weight == "unsafe" and finding.rows == 100
    assert judged(given).answer == "unsafe"


@pytest.mark.parametrize(("last", "words"), [(7, "drops it"), (6, "is written")])
def test_a_sink_that_remembers_gets_them_once(last: int, words: str) -> None:
    given = in_flight(sinks=(memory(last),))
    assert words in found(given, "HF445")[0].message
    assert judged(given).answer == "safe"


def test_with_nothing_in_flight_there_is_nothing_to_say() -> None:
    assert not found(evidence(sinks=(memory(None, kind="none", skips="never"),)), "HF445")
