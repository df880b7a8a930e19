"""Cases of HF441."""

from tests.rules.made_up import evidence, found, judged, log


def test_no_sink_named_is_unknown() -> None:
    assert found(evidence(sinks=()), "HF441")
    assert judged(evidence(sinks=())).answer == "unknown"


def test_an_empty_checkpoint_is_no_exception() -> None:
    """The file sink of an emptied query drops what the query writes anew."""
    given = evidence(sinks=(), offsets=log(None), commits=log(None))
    assert judged(given).answer == "unknown"


def test_a_sink_that_was_looked_at_is_fine() -> None:
    assert not found(evidence(), "HF441")
