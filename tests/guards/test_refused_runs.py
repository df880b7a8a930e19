"""Guards inside a run: what is refused never reaches the engine, what is odd is told."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.core.job import Declaration
from holdfast.core.running.event import RunEvent, Warned
from holdfast.core.running.ports import PlanFacts
from holdfast.flows.run import exit_code, run
from holdfast.flows.supervise import StopSignal
from tests.checkpoint_builder import CheckpointBuilder
from tests.running.fake_engine import QUERY_ID, FakeEngine, FakeQuery, declared


class ChancyQuery(FakeQuery):
    """A query in whose plan Spark found chance."""

    def facts(self, settings: object) -> PlanFacts:
        return PlanFacts(
            sources=("rate",), stateful=(), unrepeatable=("Rand",), settings={}, versions={}
        )


def checkpoint(base: Path, name: str, query_id: str = QUERY_ID) -> CheckpointBuilder:
    return CheckpointBuilder(base / name).metadata(query_id).batches(range(2))


def ran(
    declaration: Declaration, *queries: FakeQuery
) -> tuple[str, str, int, list[tuple[str, str]], int]:
    """How the one job ended, by which code, with which exit code; warnings; starts."""
    events: list[RunEvent] = []
    engine = FakeEngine({declaration.jobs[0].name: [*queries]})
    results = run(
        declaration, (), StopSignal(), once=True, tell=events.append, engine=lambda _: engine
    )
    warned = [(e.finding.code, e.finding.message) for e in events if isinstance(e, Warned)]
    starts = sum(len(each) for each in engine.bindings.values())
    # Below the system's temporary folder, which is a warning of its own.
    told = [each for each in warned if each[0] != "HF202"]
    return results[0].end, results[0].code, exit_code(results), told, starts


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints"


def test_a_second_run_of_a_job_whose_checkpoint_is_there(base: Path) -> None:
    declaration = declared(str(base), "a")
    assert ran(declaration, FakeQuery()) == ("drained", "", 0, [], 1)
    checkpoint(base, "a")
    assert ran(declaration, FakeQuery()) == ("drained", "", 0, [], 1)


def test_a_second_run_of_a_job_whose_checkpoint_is_gone(base: Path) -> None:
    declaration = declared(str(base), "a")
    assert ran(declaration, FakeQuery())[0] == "drained"
    assert ran(declaration) == ("refused", "HF211", 1, [], 0)


def test_work_that_nobody_wrote_down_is_adopted_only_by_hand(base: Path) -> None:
    declaration = declared(str(base), "a")
    checkpoint(base, "a")
    assert ran(declaration) == ("refused", "HF216", 1, [], 0)
    by_hand = replace(declaration, base=str(base.parent))
    end, _, _, warned, starts = ran(by_hand, FakeQuery())
    assert (end, [code for code, _ in warned], starts) == ("drained", ["HF216"], 1)
    assert ran(by_hand, FakeQuery()) == ("drained", "", 0, [], 1)


def test_a_query_that_starts_under_another_id_is_stopped(base: Path) -> None:
    declaration = declared(str(base), "a")
    assert ran(declaration, FakeQuery())[0] == "drained"
    checkpoint(base, "a")
    query = FakeQuery(id="99999999-2222-3333-4444-555555555555")
    end, code, _, _, starts = ran(declaration, query)
    assert (end, code, starts, query.seen) == ("failed", "HF020", 1, ["stop"])


def test_chance_in_plan_and_text_is_told(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import uuid\n\n\ndef orders(frame):\n    return uuid.uuid4()\n"
    (tmp_path / "guards_chancy.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("guards_chancy")
    declaration = declared(str(base), "a")
    job = replace(declaration.jobs[0], transform="guards_chancy:orders")
    end, _, _, warned, _ = ran(replace(declaration, jobs=(job,)), ChancyQuery())
    del sys.modules["guards_chancy"]
    assert end == "drained"
    assert [code for code, _ in warned] == ["HF221", "HF221"]
    assert "Rand in the plan" in warned[0][1] and "uuid.uuid4() in line 5" in warned[1][1]
