"""Cases of HF403."""

from holdfast.core.evidence.around import Remembered
from holdfast.core.fact import Absent, Known, Unreadable
from tests.rules.made_up import QUERY, evidence, found, judged, log


def test_a_lost_id_is_unsafe() -> None:
    given = evidence(query_id=Absent("metadata"))
    assert found(given, "HF403") and judged(given).answer == "unsafe"
    assert found(evidence(query_id=Unreadable("metadata", "torn", "HF004")), "HF403")


def test_what_our_records_remember_is_told() -> None:
    records = Remembered(
        job=Known("orders", "r"),
        query_id=Known(QUERY, "r"),
        location=Known("/data", "r"),
        is_elsewhere=False,
        last_batch=7,
        runs=1,
    )
    (finding,) = found(
        evidence(query_id=Absent("metadata"), remembered=Known(records, "r")), "HF403"
    )
    assert QUERY in finding.next_action


def test_an_empty_folder_has_lost_nothing() -> None:
    given = evidence(query_id=Absent("metadata"), offsets=log(None), commits=log(None))
    assert not found(given, "HF403")
