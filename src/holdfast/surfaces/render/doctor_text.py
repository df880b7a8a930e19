"""`doctor` for a person: one line for each check, and below it what mends it."""

from collections import Counter

from holdfast.core.doctor.check import Diagnosis
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.words import count

_STYLES = {"ok": "", "skipped": "dim", "warning": "yellow", "error": "bold red"}
_MARKS = {"ok": "ok", "skipped": "-", "warning": "!", "error": "!!"}


def print_doctor(diagnosis: Diagnosis) -> None:
    """Print every check, and in the first line whether jobs would run."""
    page = Page()
    page.say()
    page.say(_summary(diagnosis))
    page.say()
    for check in diagnosis.checks:
        subject = f"{check.subject}: " if check.subject else ""
        code = f"{check.code} " if check.code else ""
        first, *others = check.found.split("\n")
        line = f"{_MARKS[check.status]:<3} {check.name:<12} {code}{subject}{first}"
        page.say(line, _STYLES[check.status])
        for other in others:
            page.say(f"{'':<17}{other}", _STYLES[check.status])
        for step in check.fix:
            page.say(f"{'':<17}fix: {step}")


def _summary(diagnosis: Diagnosis) -> str:
    counted = Counter(check.status for check in diagnosis.checks)
    about = "" if diagnosis.target == "machine" else f" of {diagnosis.target}"
    errors, warnings = counted["error"], counted["warning"]
    also = f", and {count(warnings, 'warning')}" if warnings else ""
    if errors:
        return f"Jobs{about} would not run: {count(errors, 'error')}{also}."
    return f"Nothing found that would keep jobs{about} from running{also}."
