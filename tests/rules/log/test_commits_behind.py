"""Cases of HF410."""

from tests.rules.made_up import evidence, found, in_flight, log, memory


def test_the_sink_decides() -> None:
    given = in_flight(commits=log(3))
    assert found(given, "HF410")[0].weight == "note", "the sink holds up to 6"
    given = in_flight(commits=log(3), sinks=(memory(4),))
    assert found(given, "HF410")[0].weight == "unknown"
    assert found(in_flight(commits=log(None), sinks=()), "HF410")[0].weight == "unknown"


def test_one_batch_behind_is_a_batch_in_flight() -> None:
    assert not found(in_flight(), "HF410") and not found(evidence(), "HF410")
