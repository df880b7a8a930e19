"""Run the command line under an audit hook: `python watched_run.py LOG show ...`.

Writes one JSON line for each thing that was opened, listed or executed. Everything is imported
first, so that what is logged is what reading a checkpoint takes.
"""

import json
import os
import sys
from typing import Any

import holdfast.surfaces.render.diff_text
import holdfast.surfaces.render.fleet_text
import holdfast.surfaces.render.show_text
from holdfast.surfaces.cli import diff, fleet, show
from holdfast.surfaces.cli.main import main

LOADED = (diff, fleet, show, holdfast.surfaces.render)
WATCHED_PREFIXES = (
    "open",
    "os.",
    "shutil.",
    "subprocess.",
    "pickle.",
    "marshal.",
    "exec",
    "ctypes.",
)
WATCHED_PREFIXES += ("socket.", "tempfile.", "glob.", "pathlib.", "compile", "import")


class Watch:
    """Keeps events until the end: writing them down would itself be an event."""

    def __init__(self) -> None:
        self.events: list[tuple[str, list[str], str]] = []
        self.is_on = True

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_on and event.startswith(WATCHED_PREFIXES):
            caller = sys._getframe(1).f_code.co_filename
            self.events.append((event, [_text(value) for value in arguments], caller))


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return os.fsdecode(value)
    return value if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    log = sys.argv.pop(1)
    watch = Watch()
    sys.addaudithook(watch)
    try:
        main()
    finally:
        watch.is_on = False
        with open(log, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(event) + "\n" for event in watch.events)
