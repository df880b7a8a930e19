"""Evidence that was saved is judged as it was taken."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.adapters.evidence_file import read_evidence
from holdfast.adapters.machine import ThisMachine
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.pack import decode, encode
from holdfast.core.fact import Unreadable
from holdfast.errors import HoldfastError, MalformedError, NewerVersionError
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.flows.judge import judge
from tests.rules.made_up import evidence, in_flight

GOLDEN = sorted(Path("tests/golden").glob("*/*/checkpoint"))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda path: f"{path.parts[2]}-{path.parts[3]}")
def test_a_golden_checkpoint_comes_back_the_same(case: Path) -> None:
    taken = take_evidence(Asked(target=str(case)), ThisMachine())
    again = decode(Evidence, json.loads(json.dumps(encode(taken))))
    assert again == taken
    assert judge(again).verdicts == judge(taken).verdicts


def test_every_kind_of_fact_comes_back() -> None:
    given = replace(in_flight(), plan=Unreadable("offsets/7", "it ends early", "HF004"), seen=())
    assert decode(Evidence, json.loads(json.dumps(encode(given)))) == given


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"location": 7}, "evidence.location"),
        ({"offsets": []}, "evidence.offsets"),
        ({"plan": {"known": {}, "origin": "offsets/7"}}, "lacks 'batch'"),
        ({"plan": {"known": None}}, "no fact"),
        ({"operators": {}}, "evidence.operators"),
        ({"in_flight": "7"}, "evidence.in_flight"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(change: dict[str, object], message: str) -> None:
    data = {**encode(evidence()), **change}
    with pytest.raises(MalformedError, match=message):
        decode(Evidence, data)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", MalformedError),
        ("[]", MalformedError),
        ('{"schema": "holdfast/show/1"}', MalformedError),
        ('{"schema": "holdfast/evidence/2", "result": {}}', NewerVersionError),
        ('{"schema": "holdfast/evidence/1"}', MalformedError),
    ],
)
def test_a_file_that_is_no_evidence_is_refused(
    tmp_path: Path, text: str, error: type[HoldfastError]
) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(text)
    with pytest.raises(error):
        read_evidence(str(path))
