"""`judge` for a person: the answer, what a start does now, why, and the next command."""

from holdfast.core.goal import MEANINGS
from holdfast.core.verdict import RuleFinding, Verdict
from holdfast.flows.judge import Judged
from holdfast.surfaces.render.page import Page

_STYLES = {"safe": "bold green", "unknown": "bold yellow", "unsafe": "bold red"}
_MARKS = {"unsafe": ("!!", "bold red"), "unknown": ("? ", "yellow"), "note": ("  ", "dim")}


def print_judged(judged: Judged) -> None:
    """Print the page."""
    page = Page()
    page.say()
    for verdict in judged.verdicts:
        style = _STYLES[verdict.answer]
        page.pieces(
            [
                (f"{verdict.goal:<10}", "cyan"),
                (f"{verdict.answer.upper():<9}", style),
                (MEANINGS[verdict.goal], "dim"),
            ]
        )
    page.say()
    page.say("If you start it now:", style="bold")
    page.say(judged.evidence.restart_text)
    page.say()
    for verdict in judged.verdicts:
        _print_findings(page, verdict, alone=len(judged.verdicts) == 1)


def _print_findings(page: Page, verdict: Verdict, *, alone: bool) -> None:
    findings = [f for f in verdict.findings if alone or f.weight != "note"]
    if not alone and findings:
        page.say(f"{verdict.goal}:", style="bold")
    for finding in findings:
        _print_finding(page, finding)


def _print_finding(page: Page, finding: RuleFinding) -> None:
    mark, style = _MARKS[finding.weight]
    page.pieces([(f"{mark} {finding.code}  ", style), (finding.message, "")])
    if finding.rows is not None:
        page.say(f"             {finding.rows:,} {finding.rows_unit or 'rows'}")
    if finding.consequence:
        page.say(f"             so: {finding.consequence}")
    page.say(f"             by: {finding.evidence}", style="dim")
    if finding.next_action:
        page.say(f"             next: {finding.next_action}")
