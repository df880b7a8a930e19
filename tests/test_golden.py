"""Every golden checkpoint reads as Spark itself described it."""

from datetime import datetime
from typing import Any

import pytest

from holdfast.core.fact import Known
from holdfast.flows.show import Shown, show
from holdfast.surfaces.render.show_json import show_result

from .golden_cases import CASES, NAMES, Case

LOGS_WITH_GAPS = ("async_progress", "real_time", "continuous")
WITHOUT_PROGRESS_OF_LAST = ("offline_repartition",)
"""The batch that an offline repartition adds is told by no progress event."""

WITH_OPERATORS = [case for case in CASES if "state_metadata" in case.expected]
WITH_STATE = [
    # The state reader of 4.0 does not know state format 2, and says so for every batch.
    case
    for case in CASES
    if any(case.expected.get("state_readable_batches", {}).values())
]


def look(case: Case, batch: int | None = None) -> tuple[Shown, dict[str, Any]]:
    shown = show(str(case.checkpoint), batch=batch)
    return shown, show_result(shown)


def milliseconds(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.fixture(params=CASES, ids=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_identity_and_newest_batches(case: Case) -> None:
    expected = case.expected
    _, result = look(case)
    assert result["query_id"] == expected["query_id"]
    assert result["in_flight"] == expected["in_flight"]
    finished = expected.get("batches_finished") or []
    if finished and not case.name.startswith(LOGS_WITH_GAPS):
        assert result["offsets"]["last"] >= max(finished)
    if finished and not case.name.startswith((*LOGS_WITH_GAPS, *WITHOUT_PROGRESS_OF_LAST)):
        assert result["commits"]["last"] == max(finished)
        newest = max(finished) if expected["in_flight"] is None else expected["in_flight"]
        assert result["offsets"]["last"] == newest
        assert result["next_batch"] == max(finished) + 1


def test_positions_and_watermarks_of_every_batch(case: Case) -> None:
    compared = 0
    retained = look(case)[0].checkpoint.offsets.ids
    for batch in case.expected.get("batches", []):
        if batch["batch_id"] not in retained:
            continue
        shown, _ = look(case, batch["batch_id"])
        assert shown.batch is not None and isinstance(shown.batch.plan, Known)
        plan = shown.batch.plan.value
        ends = [move.source.offset.value for move in shown.batch.sources if move.source.offset]
        wanted = [s["end_offset"] for s in batch["sources"] if s["end_offset"] is not None]
        if plan.version == 1:
            assert ends == wanted
        else:
            # A v2 log is a map from source to offset: its lines have no order.
            assert sorted(map(str, ends)) == sorted(map(str, wanted))
        if "watermark" in batch:
            assert plan.watermark_ms == milliseconds(batch["watermark"])
        compared += 1
    if case.expected.get("batches") and not case.name.startswith(LOGS_WITH_GAPS):
        assert compared


@pytest.mark.parametrize("stateful", WITH_OPERATORS, ids=str)
def test_operators_are_those_that_spark_names(stateful: Case) -> None:
    rows = stateful.expected["state_metadata"]
    shown, _ = look(stateful)
    found = {
        (operator.files.operator_id, operator.name, store)
        for operator in shown.checkpoint.operators
        for store in operator.store_names
    }
    assert found == {(r["operatorId"], r["operatorName"], r["stateStoreName"]) for r in rows}


@pytest.mark.parametrize("stateful", WITH_STATE, ids=str)
def test_state_can_be_loaded_for_the_batches_that_spark_could_read(stateful: Case) -> None:
    readable = stateful.expected["state_readable_batches"]
    shown, _ = look(stateful)
    retained = set(shown.checkpoint.offsets.ids)
    for operator in shown.checkpoint.operators:
        loadable = {batch for first, last in operator.loadable for batch in range(first, last + 1)}
        # Up to 4.0 the state reader also shows what an uncommitted batch has written.
        finished = set(range((shown.checkpoint.done_through or 0) + 1))
        assert loadable & retained == set(readable[str(operator.files.operator_id)]) & finished


def test_nothing_is_wrong_and_every_checksum_agrees(case: Case) -> None:
    shown = show(str(case.checkpoint), verify=True)
    assert [f for f in shown.checkpoint.warnings if f.severity == "error"] == []
    for part, check in shown.checkpoint.checks.items():
        assert check.status == "verified", part
