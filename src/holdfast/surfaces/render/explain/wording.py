"""Words that the text and the JSON of `explain` share."""

import shlex

from holdfast.core.explain.explanation import Advice, Explanation
from holdfast.core.explain.recogniser import Match
from holdfast.core.explain.sink import NAMES
from holdfast.core.secret_text import without_password

_PLACEHOLDER = "CHECKPOINT"
_ANY = "any"

NOT_RECOGNISED = "Not recognised: nothing in this text is an error that Holdfast knows."
WOULD_HELP = (
    "the whole stack trace: the last `Caused by` is what counts",
    "the driver's log of the last start, as a file: holdfast explain driver.log",
    "the name in brackets, such as [STREAM_FAILED], where there is one",
    "the checkpoint: holdfast show CHECKPOINT needs no error text",
)


def commands_of(explanation: Explanation, typed: str | None) -> tuple[str, ...]:
    """The next commands, with the checkpoint that was named."""
    if typed is None:
        return explanation.next_commands
    place = shlex.quote(without_password(typed))
    return tuple(
        c.replace(_PLACEHOLDER, place) if _PLACEHOLDER in c.split() else c
        for c in explanation.next_commands
    )


def meaning_of(match: Match) -> str:
    """What this very name says, '' where it was found by words alone."""
    said = match.explanation.conditions
    family = next((said[n] for n in said if n.endswith("*") and match.by.startswith(n[:-1])), "")
    meaning = said.get(match.by, family)
    return "" if meaning == match.explanation.title else meaning


def consequences(advice: Advice, sink: str | None) -> dict[str, str]:
    """What following the advice does: for this sink where it is known, else for each, in short."""
    if _ANY in advice.does:
        return {"": advice.does[_ANY]}
    if sink is not None and sink in advice.does:
        return {NAMES[sink]: advice.does[sink]}
    return {NAMES[name]: text.partition(": ")[0] for name, text in advice.does.items()}
