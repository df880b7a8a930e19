"""The screens of an audit in the docs are what it prints."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from holdfast.audit.audit import Audited
from holdfast.surfaces.render.audit import text
from holdfast.surfaces.render.page import Page
from tests.audit.made_up import audited, convicted

COMMANDS = Path(__file__).parents[2] / "docs" / "commands.md"
WIDTH = 110
SHOWN = 2
"""Failures in the docs; the others look alike."""


def screen(monkeypatch: pytest.MonkeyPatch, done: Audited) -> str:
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, highlight=False, markup=False, soft_wrap=True)
    monkeypatch.setattr(text, "Page", lambda: Page(console))
    text.print_audit(done, f"{done.folder}/report.html")
    parts = out.getvalue().strip("\n").split("\n\n")
    failures = [number for number, part in enumerate(parts) if part.startswith("    point ")]
    if failures:
        parts[failures[SHOWN] : failures[-1] + 1] = ["    …"]
    shown = "\n\n".join(parts)
    return f"```text\n{shown}\n```\n"


@pytest.mark.parametrize("done", [audited(), convicted()], ids=["proven", "convicted"])
def test_the_docs_show_the_screen(monkeypatch: pytest.MonkeyPatch, done: Audited) -> None:
    assert screen(monkeypatch, done) in COMMANDS.read_text(encoding="utf-8")
