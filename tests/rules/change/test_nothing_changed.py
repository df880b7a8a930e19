"""The same query started again is safe, whatever it is made of."""

import json

import pytest

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.pack import decode, encode
from holdfast.core.fact import Known
from tests.rules.change.queries import compared, counted, counting, query
from tests.rules.made_up import evidence, in_flight, judged

SAME = {
    "stateless": compared(query(), query()),
    "stateful": counted(counting()),
    "declared only": compared(query(), query(stateful=None, shapes=None)),
    "no record of a run": compared(None, query()),
    "bare checkpoint": evidence(),
    "in flight": in_flight(last_query=Known(query(), "runs/1"), next_query=Known(query(), "a")),
    "same Spark": compared(query(), query(), spark=Known("4.2.0", "--spark")),
    "newer Spark": counted(counting(), spark=Known("4.3.0", "--spark")),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_again_is_safe(name: str) -> None:
    verdict = judged(SAME[name])
    assert verdict.answer == "safe", verdict.findings
    codes = {finding.code for finding in verdict.findings}
    assert {code for code in codes if "HF460" <= code < "HF490"} <= {"HF460"}


def test_it_is_saved_and_read_back() -> None:
    given = SAME["stateful"]
    assert decode(Evidence, json.loads(json.dumps(encode(given)))) == given
