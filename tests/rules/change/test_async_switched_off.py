"""Cases of HF482."""

from dataclasses import replace

from holdfast.core.evidence.evidence import Evidence
from tests.rules.change.queries import compared, query
from tests.rules.made_up import evidence, found, judged, log

SPARSE = replace(log(7), count=3, holes=(1, 2, 4, 5, 6), hole_count=5)


def sparse(given: Evidence) -> Evidence:
    return replace(given, offsets=SPARSE, commits=SPARSE)


def test_a_declared_job_would_switch_it_off() -> None:
    given = sparse(compared(None, query()))
    (finding,) = found(given, "HF482")
    assert finding.weight == "unsafe" and "batch 6" in finding.message
    assert judged(given).answer == "unsafe"


def test_a_plan_alone_does_not_tell_and_nor_does_a_bare_checkpoint() -> None:
    assert not found(sparse(compared(None, query(sink_kind=None))), "HF482")
    assert not found(sparse(evidence()), "HF482")


def test_two_newest_batches_in_a_row_are_enough_and_one_log_alone_is_no_sign() -> None:
    closed = replace(SPARSE, holes=(1, 2, 4))
    assert not found(compared(None, query(), offsets=closed, commits=closed), "HF482")
    assert not found(compared(None, query(), offsets=SPARSE), "HF482")
