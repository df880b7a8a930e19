"""Our own codes, explained from the page of findings: there is no second list.

docs/findings.md has a section for each code, and a test that holds it to the code. This reads those
sections; titles come from where the codes are defined.
"""

import re
from typing import Final

from holdfast.core.doctor.check import CODES as DOCTOR_CODES
from holdfast.core.explain.explanation import Explanation, Retry
from holdfast.core.finding import CODES

_SECTION: Final = re.compile(r"^### (HF\d{3})$", re.MULTILINE)
_LABEL: Final = re.compile(r"\*\*(Means|Matters|Do|Severity):\*\*")
_LINK: Final = re.compile(r"\[([^\]\n]*)\]\([^)\s]*\)")
_PASSING: Final[frozenset[str]] = frozenset({"HF007", "HF021", "HF024", "HF516", "HF517"})
"""Codes of what can pass by itself: no answer, a lease that another holds, a process that died."""


def own_explanations(page: str) -> tuple[Explanation, ...]:
    """One explanation for each section of the page."""
    parts = _SECTION.split(page)
    return tuple(
        _explanation(code, body.partition("\n## ")[0])
        for code, body in zip(parts[1::2], parts[2::2], strict=True)
    )


def _explanation(code: str, body: str) -> Explanation:
    said = _labelled(body)
    means = said.get("Means", "")
    retry: Retry = "may help" if code in _PASSING else "does not help"
    is_finding = code in CODES
    command = "holdfast doctor" if code in DOCTOR_CODES else "holdfast show CHECKPOINT"
    return Explanation(
        id=code.lower(),
        title=_title(code, means),
        cause=" ".join(text for text in (means, said.get("Matters", "")) if text),
        look_at=(said["Do"],) if "Do" in said else (),
        retry=retry,
        retry_why="the cause can pass by itself"
        if code in _PASSING
        else "what was found stays until it is mended",
        next_commands=(command,),
        conditions={code: _title(code, means)},
        check=code if is_finding else "",
        strength="sign" if is_finding and CODES[code][0] == "info" else "error",
    )


def _title(code: str, means: str) -> str:
    if code in CODES:
        return CODES[code][1]
    if code in DOCTOR_CODES:
        return DOCTOR_CODES[code]
    first = re.split(r"(?<=[.;])\s", means, maxsplit=1)[0].rstrip(".;")
    return f"{first[:1].lower()}{first[1:]}"


def _labelled(body: str) -> dict[str, str]:
    """The paragraphs of a section by their label; what stands before the first is the meaning."""
    parts = _LABEL.split(body)
    said = {"Means": _plain(parts[0])} if _plain(parts[0]) else {}
    for label, text in zip(parts[1::2], parts[2::2], strict=True):
        said[label] = _plain(text)
    return said


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(r"\1", text).replace("**", "").replace("`", "").split())
