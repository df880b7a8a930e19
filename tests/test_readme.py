"""What the first page shows is what there is."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import holdfast
from holdfast.core.crash.comparison import Comparison
from holdfast.flows.demo.demonstrate import Demonstrated
from holdfast.flows.demo.judging import Judgement
from holdfast.flows.demo.killing import Kill
from holdfast.flows.show import show
from holdfast.surfaces.cli.main import COMMANDS
from holdfast.surfaces.render.demo.text import print_demo

from .golden_cases import GOLDEN

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EQUAL = {"lost": 0, "duplicated": 0, "changed": 0, "unexpected": 0}


def done(*, killed: bool = True, lost: int = 0, after: int = 4) -> Demonstrated:
    checkpoint = str(GOLDEN / "4.2.0" / "killed_in_sink" / "checkpoint")
    shown = show(checkpoint)
    assert shown.checkpoint.in_flight is not None
    kill = Kill(batch=shown.checkpoint.in_flight, shown=shown, shown_at_ms=1_794_935_008_000)
    gold = Comparison(**{**EQUAL, "expected": 100, "found": 100 - lost, "lost": lost})
    return Demonstrated(
        folder="/data/demo",
        job="sensor-merge-gold",
        checkpoint=checkpoint,
        kill=kill if killed else None,
        starts=2,
        batches_after=after,
        judgement=Judgement(
            rows_in=4_000,
            good=3_799,
            quarantined=201,
            readings=Comparison(**EQUAL, expected=4_000, found=4_000),
            gold=gold,
        ),
        duration_ms=61_000,
        next_commands=("holdfast show x", "holdfast history y", "holdfast init z"),
    )


def screen_of(answer: Demonstrated, capsys: pytest.CaptureFixture[str]) -> str:
    print_demo(answer)
    return capsys.readouterr().out


def test_the_screen_of_the_demo_has_the_lines_that_it_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    fences = re.findall(r"^```\w*\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (block,) = (body for body in fences if "SIGKILL" in body)
    printed = screen_of(done(), capsys)
    # What depends on the run is left out: where it lies, when it was, how long it took.
    differs = re.compile(r"\$ holdfast show|was planned|time taken|…")
    kept = [line for line in block.splitlines() if line and not differs.search(line)]
    assert len(kept) > 10
    assert [line for line in kept if line not in printed.splitlines()] == []
    assert "  time taken  " in block


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (done(), "Every row is there once: 0 lost, 0 duplicated."),
        (done(lost=1), "NOT exactly once"),
        (done(killed=False), "nothing was killed, so this proves nothing"),
        (done(after=0), "the killed batch did not run again"),
    ],
)
def test_the_demo_says_so_only_where_it_is_proven(
    answer: Demonstrated, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = screen_of(answer, capsys)
    assert verdict in printed
    assert answer.is_proven is ("0 lost, 0 duplicated" in printed)
    assert all(command in printed for command in answer.next_commands)


def test_the_commands_exist() -> None:
    named = set(re.findall(r"`holdfast ([a-z]+)", README))
    assert named <= set(COMMANDS)
    assert named >= {"run", "status", "history", "doctor", "init", "show", "demo"}


def test_the_code_for_existing_jobs_calls_what_there_is() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    calls = [
        node
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "holdfast"
    ]
    names = set()
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        names.add(call.func.attr)
        keywords = {keyword.arg or "": None for keyword in call.keywords}
        inspect.signature(getattr(holdfast, call.func.attr)).bind(*call.args, **keywords)
    assert names == {"sink", "start"}


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", README):
        assert "://" in target or (ROOT / target).exists(), target
