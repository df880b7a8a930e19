"""Cases of HF404."""

import pytest

from holdfast.core.evidence.around import Seen
from holdfast.core.evidence.evidence import Evidence
from tests.rules.made_up import evidence, found, judged


def altered(path: str) -> Evidence:
    seen = Seen(code="HF103", severity="error", message="its checksum differs", path=path)
    return evidence(seen=(seen,))


@pytest.mark.parametrize("path", ["offsets/7", "offsets/6", "commits/7", "metadata"])
def test_what_a_start_reads_is_unsafe(path: str) -> None:
    assert found(altered(path), "HF404")[0].weight == "unsafe"
    assert judged(altered(path)).answer == "unsafe"


def test_an_older_batch_is_a_note_for_resume_and_unsafe_for_replay() -> None:
    assert found(altered("offsets/3"), "HF404")[0].weight == "note"
    assert found(altered("offsets/3"), "HF404", "replay")[0].weight == "unsafe"


def test_state_is_for_another_rule() -> None:
    assert not found(altered("state/0/0/3.delta"), "HF404")
