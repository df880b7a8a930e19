"""Cases of HF443."""

import pytest

from holdfast.core.evidence.sink_memory import MarkedBatch
from holdfast.core.evidence.source_state import PartState, SourceState
from tests.rules.made_up import evidence, found, judged, log, memory


@pytest.mark.parametrize("skips", ["at-or-below", "checked"])
def test_a_sink_ahead_drops_rows(skips: str) -> None:
    given = evidence(sinks=(memory(9, skips=skips),))
    (finding,) = found(given, "HF443")
    assert "batches 8 to 9" in finding.consequence
    assert judged(given).answer == "unsafe"


def test_an_emptied_checkpoint_is_behind_everything() -> None:
    given = evidence(offsets=log(None), commits=log(None), sinks=(memory(0),))
    assert "batches 0 to 0" in found(given, "HF443")[0].consequence


def test_the_lost_records_are_counted_beforehand() -> None:
    """1,500 rows in two batches, both logs emptied, 200 more records produced."""
    marks = tuple(
        MarkedBatch(batch=batch, rows=rows, at_ms=None, where=f"version {batch}")
        for batch, rows in ((1, 500), (0, 1_000))
    )
    source = SourceState(
        position=0,
        kind="kafka",
        where="t",
        parts=(PartState(name="t/0", stored=None, earliest=0, latest=1_700),),
    )
    given = evidence(
        offsets=log(None),
        commits=log(None),
        sinks=(memory(1, batches=marks, oldest_known=0),),
        sources=(source,),
    )
    (finding,) = found(given, "HF443")
    assert finding.rows == 200 and finding.rows_unit == "records will be skipped"


def test_a_sink_in_step_or_without_memory_is_not_ahead() -> None:
    assert not found(evidence(), "HF443")
    assert not found(evidence(sinks=(memory(9, kind="none", skips="never"),)), "HF443")
