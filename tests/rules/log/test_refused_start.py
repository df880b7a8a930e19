"""Cases of HF401."""

from tests.rules.made_up import evidence, found, judged


def test_a_checkpoint_that_spark_refuses_is_unsafe() -> None:
    given = evidence(restart_kind="refused", restart_text="A restart fails: offsets/7 is torn.")
    (finding,) = found(given, "HF401")
    assert "offsets/7 is torn" in finding.message
    assert judged(given).answer == "unsafe"


def test_a_sound_one_is_not() -> None:
    assert not found(evidence(), "HF401")
