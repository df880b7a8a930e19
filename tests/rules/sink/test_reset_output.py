"""Cases of HF449."""

import pytest

from holdfast.core.evidence.around import Intent
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.sink_memory import MarkedBatch
from tests.rules.made_up import evidence, found, memory


def reset(kind: str, fate: str | None) -> Evidence:
    skips = "never" if kind == "none" else "at-or-below"
    return evidence(
        sinks=(memory(7, kind=kind, skips=skips),),
        intent=Intent(output=fate),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("kind", "fate", "words"),
    [
        ("delta", "kept", "second time"),
        ("iceberg", "kept", "second time"),
        ("none", "kept", "second time"),
        ("sql", "kept", "second time"),
        ("file-sink", "kept", "lost"),
        ("file-sink", "cleared", "lost"),
        ("delta-txn", "kept", "lost"),
        ("delta-txn", "cleared", "lost"),
    ],
)
def test_the_table_of_actions(kind: str, fate: str, words: str) -> None:
    (finding,) = found(reset(kind, fate), "HF449", "reset")
    assert finding.weight == "unsafe" and words in finding.consequence


@pytest.mark.parametrize(("kind", "fate"), [("delta", "cleared"), ("file-sink", "new")])
def test_nothing_is_left_to_collide_with(kind: str, fate: str) -> None:
    assert not found(reset(kind, fate), "HF449", "reset")


def test_not_said_is_not_known() -> None:
    assert found(reset("delta", None), "HF449", "reset")[0].weight == "unknown"


def test_the_rows_that_come_twice_are_counted() -> None:
    marks = (MarkedBatch(batch=0, rows=1_700, at_ms=None, where="version 0"),)
    given = evidence(
        sinks=(memory(0, batches=marks, oldest_known=0),), intent=Intent(output="kept")
    )
    assert found(given, "HF449", "reset")[0].rows == 1_700
