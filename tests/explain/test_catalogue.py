"""The catalogue is whole, and what it tells people to type exists."""

import shlex

import pytest

from holdfast.adapters.texts.findings_page import findings_page
from holdfast.core.doctor.check import CODES as DOCTOR_CODES
from holdfast.core.explain.advice import ADVICE
from holdfast.core.explain.agreement import CHECKS
from holdfast.core.explain.catalogue.all import CATALOGUE
from holdfast.core.explain.explanation import Explanation
from holdfast.core.explain.names import NameIndex
from holdfast.core.explain.own_codes import own_explanations
from holdfast.core.explain.sink import SINKS
from holdfast.core.finding import CODES
from holdfast.surfaces.cli.main import COMMANDS
from tests.explain.texts import CONDITIONS

OWN = own_explanations(findings_page())
IDS = [explanation.id for explanation in CATALOGUE]


def test_every_condition_of_spark_is_explained_in_a_sentence_of_its_own() -> None:
    explained = {name: text for e in CATALOGUE for name, text in e.conditions.items()}
    assert set(CONDITIONS) - set(explained) == set()
    assert all(len(explained[name]) > 15 for name in CONDITIONS)


def test_a_name_and_an_id_are_used_once() -> None:
    assert len(set(IDS)) == len(IDS)
    NameIndex((*CATALOGUE, *OWN))
    twice = Explanation(
        id="again",
        title="x",
        cause="x",
        look_at=(),
        retry="helps",
        retry_why="",
        next_commands=(),
        conditions={"STREAM_FAILED": "x"},
    )
    with pytest.raises(ValueError, match="STREAM_FAILED"):
        NameIndex((*CATALOGUE, twice))


@pytest.mark.parametrize("explanation", CATALOGUE, ids=IDS)
def test_an_explanation_says_everything(explanation: Explanation) -> None:
    assert explanation.cause.endswith(".") and len(explanation.cause) > 60
    assert explanation.look_at and explanation.retry_why
    assert explanation.title[0].islower() or explanation.title.startswith(
        ("Delta", "Kafka", "Spark", "MongoDB", "Event Hubs")
    )
    assert explanation.fragments or explanation.conditions
    assert all(f == f.lower() and len(f) >= 6 for f in explanation.fragments)
    assert {explanation.check, *explanation.check_of.values()} <= {"", *CHECKS}
    assert set(explanation.check_of) <= set(explanation.conditions)


@pytest.mark.parametrize("explanation", [*CATALOGUE, *OWN], ids=lambda e: e.id)
def test_next_commands_are_commands_of_ours(explanation: Explanation) -> None:
    assert explanation.next_commands
    for command in explanation.next_commands:
        program, verb, *_ = shlex.split(command)
        assert program == "holdfast" and verb in COMMANDS


def test_every_fragment_leads_to_its_own_explanation_only() -> None:
    fragments = [f for e in CATALOGUE for f in e.fragments]
    assert len(fragments) == len(set(fragments))


def test_no_advice_of_ours_is_the_harmful_one() -> None:
    said = " ".join(
        text.lower() for e in CATALOGUE for text in (*e.look_at, e.retry_why, *e.next_commands)
    )
    assert "failondataloss=false" not in said
    assert "delete the checkpoint" not in said and "delete commits" not in said


@pytest.mark.parametrize("advice", ADVICE, ids=lambda a: a.id)
def test_harmful_advice_names_the_consequence_for_every_sink(advice: object) -> None:
    does = advice.does  # type: ignore[attr-defined]
    assert set(does) == {"any"} or set(does) == set(SINKS)


def test_every_code_of_ours_is_explained_from_the_page_of_findings() -> None:
    explained = {name for e in OWN for name in e.conditions}
    assert explained >= {*CODES, *DOCTOR_CODES, "HF001", "HF023", "HF207", "HF226"}
    by_id = {e.id: e for e in OWN}
    assert by_id["hf107"].title == CODES["HF107"][1]
    assert "fails" in by_id["hf107"].cause and "both logs" in by_id["hf107"].look_at[0]
    assert all(e.cause and "**" not in e.cause and "](" not in e.cause for e in OWN)
