"""`explain` for a person: what it is, why, what to look at, what to type, what not to do."""

from holdfast.core.explain.recogniser import Match
from holdfast.core.explain.say import Agreement
from holdfast.flows.explain import Explained
from holdfast.surfaces.render.explain.wording import (
    NOT_RECOGNISED,
    WOULD_HELP,
    commands_of,
    consequences,
    meaning_of,
)
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.words import count, span

_OTHERS_MAX = 8
_LABEL = 13
_RETRY_STYLES = {"helps": "green", "may help": "", "does not help": "yellow"}
_STATUS_STYLES = {"agrees": "bold", "disagrees": "yellow", "cannot tell": "dim"}


def print_explained(explained: Explained, *, typed: str | None) -> None:
    """Print the likeliest cause in full, the others in a line each."""
    page = Page()
    page.say()
    if explained.recognised.matches:
        _first(page, explained, typed)
    elif not explained.is_recognised:
        _unknown(page, explained)
    _advice(page, explained)
    _others(page, explained)
    if explained.recognised.matches:
        page.say()
        for command in commands_of(explained.recognised.matches[0].explanation, typed):
            page.say(f"next: {command}")


def _first(page: Page, explained: Explained, typed: str | None) -> None:
    match, said = explained.recognised.matches[0], explained.agreements[0]
    explanation = match.explanation
    page.say(f"{explanation.title[:1].upper()}{explanation.title[1:]}.", "bold")
    meaning = meaning_of(match)
    page.say(f"{match.by}: {meaning}." if meaning else f"Recognised by: {_by(match)}")
    page.say()
    _wrapped(page, "cause", explanation.cause)
    for number, thing in enumerate(explanation.look_at):
        _wrapped(page, "" if number else _look_label(match), thing)
    style = _RETRY_STYLES.get(explanation.retry, "bold red")
    _wrapped(page, "try again", f"{explanation.retry}: {explanation.retry_why}", style)
    if explained.taken in ("file", "stdin"):
        _wrapped(page, "in the log", _where(match))
    _checkpoint(page, explained, said)


def _by(match: Match) -> str:
    return match.by if match.precision else f'"{match.by.strip()}"'


def _look_label(match: Match) -> str:
    """The page of our own codes says what to do; elsewhere it depends on what is seen."""
    return "do" if match.by.startswith("HF") else "look at"


def _where(match: Match) -> str:
    lines = span(match.first_line, match.last_line)
    word = "line" if match.first_line == match.last_line else "lines"
    return f"{word} {lines}, {count(match.count, 'time')}"


def _checkpoint(page: Page, explained: Explained, said: Agreement | None) -> None:
    if said is None or explained.checkpoint is None:
        return
    codes = f" ({', '.join(said.findings)})" if said.findings else ""
    text = f"{said.status}: {said.says}{codes}"
    _wrapped(page, "checkpoint", text, _STATUS_STYLES[said.status])
    # What only the sink knows is not in it, and may be what the explanation is about.
    _wrapped(page, "", f"Going by its files alone: {explained.checkpoint.restart.text}")


def _advice(page: Page, explained: Explained) -> None:
    given = {advice.id for advice in explained.recognised.advice}
    for advice in explained.advice:
        page.say()
        where = " (this text says so)" if advice.id in given else ""
        page.say(f"do not: {advice.advice}{where}", "bold red")
        for name, text in consequences(advice, explained.sink).items():
            _wrapped(page, "", f"{name}: {text}" if name else text)
        _wrapped(page, "instead", advice.instead)
    if explained.sink is None and any(len(consequences(a, None)) > 1 for a in explained.advice):
        _wrapped(page, "", "(--sink says it for one sink, and in full)", "dim")


def _others(page: Page, explained: Explained) -> None:
    others = explained.recognised.matches[1:]
    if others:
        page.say()
        page.say("Also in this text:")
    for match, said in list(zip(others, explained.agreements[1:], strict=True))[:_OTHERS_MAX]:
        agreed = f"  [checkpoint {said.status}]" if said is not None else ""
        page.say(f"  {_by(match)}  line {match.last_line:,}: {match.explanation.title}{agreed}")
    if len(others) > _OTHERS_MAX:
        page.say(f"  … and {len(others) - _OTHERS_MAX} more (--output json)")
    if explained.recognised.unknown_names and explained.is_recognised:
        page.say(f"Not known here: {', '.join(explained.recognised.unknown_names)}")


def _unknown(page: Page, explained: Explained) -> None:
    page.say(NOT_RECOGNISED, "yellow")
    if explained.recognised.unknown_names:
        names = ", ".join(explained.recognised.unknown_names)
        page.say(f"It names {names}, which this release does not explain.")
    if explained.near:
        page.say(f"Did you mean {' or '.join(explained.near)}?")
    page.say()
    page.say("What would help:")
    for thing in WOULD_HELP:
        page.say(f"  {thing}")


def _wrapped(page: Page, label: str, text: str, style: str = "") -> None:
    """A label and its text, broken at words so that it can be read on a narrow window."""
    width = max(min(page.width, 110) - _LABEL - 2, 40)
    line = ""
    head = label
    for word in text.split():
        if line and len(line) + len(word) >= width:
            page.pieces([(f"{head:<{_LABEL}}", "cyan"), (line.rstrip(), style)])
            line, head = "", ""
        line += f"{word} "
    page.pieces([(f"{head:<{_LABEL}}", "cyan"), (line.rstrip(), style)])
