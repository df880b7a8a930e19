"""Cases of HF467."""

from holdfast.core.fact import Known
from tests.rules.change.queries import compared, query, source
from tests.rules.made_up import found, in_flight, judged


def with_options(**options: str) -> object:
    return query(sources=(source(subscribe="t", **options),))


def test_a_limit_may_change() -> None:
    before, after = with_options(maxOffsetsPerTrigger="10"), with_options(maxoffsetspertrigger="20")
    given = compared(before, after)
    (finding,) = found(given, "HF467")
    assert "10 -> 20" in finding.message and finding.weight == "note"
    assert judged(given).answer == "safe"


def test_a_planned_batch_keeps_its_range() -> None:
    before, after = with_options(maxOffsetsPerTrigger="10"), with_options()
    given = in_flight(last_query=Known(before, "runs/1"), next_query=Known(after, "a"))
    assert "batch 7" in found(given, "HF467")[0].consequence


def test_other_rows_from_the_same_table_are_unknown() -> None:
    given = compared(with_options(), with_options(readChangeFeed="true"))
    assert [each.weight for each in found(given, "HF467")] == ["unknown"]


def test_options_that_were_never_told_are_no_change() -> None:
    before = query(sources=(source(0, "kafka", plan="kafka"),))
    assert not found(compared(before, with_options(maxOffsetsPerTrigger="1")), "HF467")
