"""Cases of HF496."""

import pytest

from tests.rules.change.queries import compared, query
from tests.rules.made_up import found, judged


@pytest.mark.parametrize("new", [{"transform": "orders:other"}, {"code_revision": "bbbb"}])
def test_other_code_may_bring_other_columns(new: dict[str, str]) -> None:
    given = compared(query(), query(**new))
    assert found(given, "HF496")[0].weight == "unknown"
    assert judged(given).answer == "unknown"


def test_our_sinks_check_the_columns() -> None:
    ours = compared(query(sink_kind="sql"), query(sink_kind="sql", transform="orders:other"))
    assert found(ours, "HF496")[0].weight == "note"


def test_the_same_code_has_the_same_columns() -> None:
    assert not found(compared(query(), query()), "HF496")
    assert not found(compared(query(), query(code_revision=None)), "HF496"), "nobody knows"
