"""Cases of HF493."""

from tests.rules.made_up import evidence, found, judged, memory


def test_damage_is_unsafe() -> None:
    given = evidence(sinks=(memory(7, damage=("_spark_metadata/7 is torn",)),))
    assert found(given, "HF493") and judged(given).answer == "unsafe"


def test_a_whole_one_is_fine() -> None:
    assert not found(evidence(), "HF493")
