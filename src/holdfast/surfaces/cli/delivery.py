"""Run a flow and deliver its answer: stdout is data, stderr is talk, the exit code says which."""

import json
import os
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from holdfast.core.finding import Finding, is_wrong
from holdfast.errors import HoldfastError
from holdfast.surfaces.render.envelope import envelope, error_envelope
from holdfast.surfaces.render.words import plain

T = TypeVar("T")

INDENTED_CHARACTERS_MAX = 1_000_000
"""Longer JSON comes on one line: indenting takes ten times as long, and values that lie deep get
hundreds of blanks each."""

EXIT_DONE = 0
EXIT_WRONG = 1
EXIT_UNHEARD = 2


class Output(StrEnum):
    """How an answer is written."""

    text = "text"
    json = "json"


def deliver(
    flow: Callable[[], T],
    *,
    name: str,
    output: Output,
    target: Callable[[T], str],
    result: Callable[[T], dict[str, Any]],
    warnings: Callable[[T], tuple[Finding, ...]],
    text: Callable[[T], None],
    is_bad: Callable[[T], bool] = lambda answer: False,
    code: Callable[[T], int] = lambda answer: EXIT_DONE,
) -> None:
    """Run the flow, print its answer, and leave with the exit code that fits it."""
    try:
        answer = flow()
    except HoldfastError as error:
        sys.exit(report_error(error, output))
    found = warnings(answer)
    try:
        if output is Output.json:
            write_json(envelope(name, target(answer), result(answer), found))
        else:
            text(answer)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader went away (`| head`). Left alone, click ends with 1: a damaged checkpoint.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_UNHEARD)
    sys.exit(EXIT_WRONG if is_wrong(found) or is_bad(answer) else code(answer))


def report_error(error: HoldfastError, output: Output) -> int:
    """Say what is wrong, where, and what to do next; give the exit code."""
    if output is Output.json:
        write_json(error_envelope(error))
    subject = f": {plain(error.subject)}" if error.subject else ""
    message = "\n".join(plain(line) for line in error.message.split("\n"))
    lines = [f"holdfast: {error.code} {message}{subject}"]
    if error.next_action:
        lines.append(f"  next: {plain(error.next_action)}")
    sys.stderr.write("\n".join(lines) + "\n")
    return error.exit_code


def write_json(value: dict[str, Any]) -> None:
    """One JSON value on standard output; indented where a person might read it."""
    text = json.dumps(value, ensure_ascii=True)
    if len(text) <= INDENTED_CHARACTERS_MAX:
        text = json.dumps(value, indent=2, ensure_ascii=True)
    sys.stdout.write(text + "\n")
