"""Cases of HF469."""

from dataclasses import replace

from holdfast.core.evidence.source_state import SourceState
from holdfast.core.fact import Unreadable
from tests.rules.change.queries import compared, query, source
from tests.rules.made_up import found, judged


def losing(value: str) -> object:
    return query(sources=(source(subscribe="t", failOnDataLoss=value),))


def test_a_loss_that_would_be_silent_is_unknown() -> None:
    given = compared(None, losing("False"), sources=())
    assert [each.weight for each in found(given, "HF469")] == ["unknown"]
    assert judged(given).answer == "unknown"


def test_a_source_that_was_looked_at_speaks_for_itself() -> None:
    asked = SourceState(position=0, kind="kafka", where="b:9092")
    given = compared(None, losing("false"), sources=(asked,))
    assert [each.weight for each in found(given, "HF469")] == ["note"]
    silent = replace(asked, problem=Unreadable("b:9092", "no answer", "HF007"))
    given = compared(None, losing("false"), sources=(silent,))
    assert [each.weight for each in found(given, "HF469")] == ["unknown"]


def test_the_default_fails_loudly() -> None:
    assert not found(compared(None, losing("true")), "HF469")
