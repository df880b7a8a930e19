"""The demo for a person: what was killed, what was left of it, what is lost, what to try next."""

from holdfast.flows.demo.demonstrate import Demonstrated
from holdfast.surfaces.render.judge.text import print_judged
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.show_text import ShowText
from holdfast.surfaces.render.words import duration


def print_demo(done: Demonstrated) -> None:
    """Print the page."""
    page = Page()
    page.say()
    _killed(page, done)
    page.say()
    page.say(_headline(done))
    page.say()
    _rows(page, done)
    page.say()
    page.say(_verdict(done), "bold green" if done.is_proven else "bold red")
    page.say(f"Everything is kept in {done.folder}.")
    page.say()
    for number, command in enumerate(done.next_commands):
        page.say(f"{'try next:' if number == 0 else '':<9} {command}")


def _killed(page: Page, done: Demonstrated) -> None:
    kill = done.kill
    if kill is None:
        page.say(f"No kill hit a batch of {done.job}: they were over too soon on this machine.")
        return
    page.say(f"{done.job} was killed (SIGKILL) in the middle of batch {kill.batch:,}.")
    page.say("What was left of it, read without Spark:")
    page.say()
    page.say(f"$ holdfast show {done.checkpoint}")
    ShowText(typed=done.checkpoint, now_ms=kill.shown_at_ms).print(kill.shown)
    if done.judged is not None:
        page.say()
        page.say(f"$ holdfast judge {done.job} --goal resume")
        print_judged(done.judged)


def _rows(page: Page, done: Demonstrated) -> None:
    judged = done.judgement
    page.rows(
        (
            ("rows in", f"{judged.rows_in:,}"),
            ("good", f"{judged.good:,}"),
            ("quarantined", f"{judged.quarantined:,}"),
            ("in gold", f"{judged.gold.found:,}, the newest of each sensor"),
            ("lost", f"{judged.lost:,}"),
            ("duplicated", f"{judged.duplicated:,}"),
            ("changed", f"{judged.changed:,}"),
            ("time taken", duration(done.duration_ms)),
        )
    )


def _headline(done: Demonstrated) -> str:
    again = "" if done.kill is None else "Started again as it was. "
    return f"{again}Held against one batch query over all the input:"


def _verdict(done: Demonstrated) -> str:
    judged = done.judgement
    if not judged.is_exact:
        wrong = judged.lost + judged.duplicated + judged.changed
        if wrong:
            return "NOT exactly once: rows are lost, duplicated or changed. This is a bug of ours."
        return "NOT proven: rows in is not good + quarantined, or there were none."
    if done.kill is None:
        return "Every row is there once; but nothing was killed, so this proves nothing."
    if done.batches_after == 0:
        return "Every row is there once; but the killed batch did not run again."
    return "Every row is there once: 0 lost, 0 duplicated."
