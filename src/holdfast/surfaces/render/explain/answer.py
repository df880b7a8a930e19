"""The JSON of `explain`."""

from typing import Any

from holdfast.core.explain.explanation import Advice
from holdfast.core.explain.recogniser import Match
from holdfast.core.explain.say import Agreement
from holdfast.flows.explain import Explained
from holdfast.surfaces.render.explain.wording import (
    WOULD_HELP,
    commands_of,
    consequences,
    meaning_of,
)


def explain_result(explained: Explained, *, typed: str | None) -> dict[str, Any]:
    """The `result` of the envelope."""
    pairs = zip(explained.recognised.matches, explained.agreements, strict=True)
    return {
        "taken": explained.taken,
        "recognised": explained.is_recognised,
        "lines": explained.recognised.lines,
        "sink": explained.sink,
        "checkpoint": explained.checkpoint.location if explained.checkpoint else None,
        "explanations": [_match(match, said, explained, typed) for match, said in pairs],
        "advice_in_text": [_advice(a, explained.sink) for a in explained.recognised.advice],
        "unknown_names": list(explained.recognised.unknown_names),
        "near_names": list(explained.near),
        "would_help": [] if explained.is_recognised else list(WOULD_HELP),
    }


def _match(
    match: Match, said: Agreement | None, explained: Explained, typed: str | None
) -> dict[str, Any]:
    explanation = match.explanation
    return {
        "id": explanation.id,
        "strength": explanation.strength,
        "title": explanation.title,
        "found_by": match.by,
        "meaning": meaning_of(match),
        "count": match.count,
        "first_line": match.first_line,
        "last_line": match.last_line,
        "cause": explanation.cause,
        "look_at": list(explanation.look_at),
        "retry": explanation.retry,
        "retry_why": explanation.retry_why,
        "next_commands": list(commands_of(explanation, typed)),
        "harmful_advice": [_advice(a, explained.sink) for a in explanation.harmful],
        "checkpoint_says": None
        if said is None
        else {"status": said.status, "text": said.says, "findings": list(said.findings)},
    }


def _advice(advice: Advice, sink: str | None) -> dict[str, Any]:
    return {
        "id": advice.id,
        "advice": advice.advice,
        "consequences": [
            {"sink": name or None, "text": text}
            for name, text in consequences(advice, sink).items()
        ],
        "instead": advice.instead,
    }
