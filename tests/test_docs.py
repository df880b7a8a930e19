"""What the docs show is what the program does."""

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from holdfast.core.finding import CODES
from holdfast.surfaces.cli.main import COMMANDS
from holdfast.surfaces.render.contract import MODELS, json_schemas

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("**/*.md")), ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md"]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
HOLDFAST = Path(sys.executable).with_name("holdfast")

FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
EXAMPLE = re.compile(
    r"^(?:\$ )?(?P<command>holdfast [^\n]*\btests/golden/[^\n]*)\n"
    r"(?P<screen>(?:(?!^(?:\$ )?holdfast ).*\n)*?)"
    r"(?:^exit (?P<code>\d+)$)",
    re.MULTILINE,
)
OF_THIS_MACHINE = re.compile(r"/(?:work|root|home)/")

WITHOUT_SCREEN = {
    "schema",
    "init",
    "run",
    "doctor",
    "demo",
    "audit",
    "plan",
    "apply",
    "undo",
    "rehearse",
}
"""Commands whose answer is no screen, needs Spark, or depends on the machine."""


def fenced(page: Path, *languages: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [m["body"] for m in FENCE.finditer(text) if m["language"] in languages]


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    texts = [match["text"].lower() for match in HEADING.finditer(prose(page))]
    return {re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-") for text in texts}


def examples() -> list[tuple[str, int]]:
    found = [
        (match["command"], int(match["code"]))
        for page in PAGES
        for body in fenced(page, "console", "bash")
        for match in EXAMPLE.finditer(body)
    ]
    return list(dict.fromkeys(found))


def json_examples() -> list[dict[str, object]]:
    return [json.loads(body) for body in fenced(DOCS / "json.md", "json")]


def test_generated_regions_are_fresh() -> None:
    script = ROOT / "scripts" / "docs" / "generate.py"
    check = subprocess.run(
        [sys.executable, str(script), "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert check.stdout == ""
    assert check.returncode == 0, check.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section_with_its_help_and_an_example(command: str) -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    _, found, section = text.partition(f"\n## {command}\n")
    assert found
    section = section.partition("\n## ")[0]
    assert f"<!-- generated:help {command} -->" in section
    assert command in WITHOUT_SCREEN or f"<!-- generated:screen {command} " in section


def test_every_code_has_a_section_and_no_section_is_for_an_unknown_code() -> None:
    sources = (ROOT / "src").rglob("*.py")
    used = {code for p in sources for code in re.findall(r"HF\d{3}", p.read_text(encoding="utf-8"))}
    pages = prose(DOCS / "findings.md") + prose(DOCS / "rules.md")
    sections = re.findall(r"^### (HF\d{3})$", pages, re.MULTILINE)
    assert len(sections) == len(set(sections))
    # HF000 is the abstract root, which nobody meets.
    assert set(sections) == (used | set(CODES)) - {"HF000"}


def test_every_section_of_a_finding_says_what_it_means_why_it_matters_and_what_to_do() -> None:
    text = (DOCS / "findings.md").read_text(encoding="utf-8")
    for part in text.split("\n### ")[1:]:
        code, body = part[:5], part.partition("\n## ")[0]
        if code in CODES:
            assert all(f"**{word}:**" in body for word in ("Means", "Matters", "Do")), code


def test_there_is_a_json_example_of_every_output() -> None:
    assert {f"holdfast/{name}/1" for name in MODELS} == {e["schema"] for e in json_examples()}


@pytest.mark.parametrize("example", json_examples(), ids=lambda e: str(e["schema"]))
def test_json_examples_fit_the_contract(example: dict[str, object]) -> None:
    schema = str(example["schema"])
    MODELS[schema.split("/")[1]].model_validate(example)
    jsonschema.validate(example, json_schemas()[schema])


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    for match in LINK.finditer(prose(page)):
        target = match["target"]
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), target


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_nothing_is_said_of_this_machine(page: Path) -> None:
    assert not OF_THIS_MACHINE.search(page.read_text(encoding="utf-8"))


def test_every_decision_is_listed() -> None:
    listed = set(re.findall(r"\((\d{4}-[a-z0-9-]+\.md)\)", prose(DOCS / "decisions" / "README.md")))
    assert listed == {path.name for path in (DOCS / "decisions").glob("[0-9]*.md")}


def test_there_are_examples_to_run() -> None:
    assert len(examples()) >= 5


@pytest.mark.parametrize(("command", "code"), examples())
def test_examples_end_as_stated(command: str, code: int) -> None:
    arguments = command.split()[1:]
    run = subprocess.run([str(HOLDFAST), *arguments], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == code, run.stderr
