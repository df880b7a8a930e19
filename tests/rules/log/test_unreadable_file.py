"""Cases of HF406."""

from holdfast.core.evidence.around import Seen
from tests.rules.made_up import evidence, found, judged


def test_a_damaged_file_elsewhere_is_unknown() -> None:
    seen = Seen(code="HF101", severity="error", message="torn", path="sources/0/9.compact")
    assert judged(evidence(seen=(seen,))).answer == "unknown"
    assert found(evidence(seen=(seen,)), "HF406")


def test_altered_state_is_unknown_at_best() -> None:
    seen = Seen(code="HF103", severity="error", message="differs", path="state/0/0/3.zip")
    assert found(evidence(seen=(seen,)), "HF406")


def test_what_another_rule_speaks_about_is_not_said_twice() -> None:
    seen = Seen(code="HF107", severity="error", message="ahead", path="commits/9")
    assert not found(evidence(seen=(seen,)), "HF406")


def test_warnings_are_not_errors() -> None:
    seen = Seen(code="HF113", severity="info", message="left behind", path="offsets/.7.tmp")
    assert judged(evidence(seen=(seen,))).answer == "safe"
