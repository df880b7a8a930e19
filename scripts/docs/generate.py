"""Rewrite the generated regions of the Markdown files, or say which of them are stale.

    python scripts/docs/generate.py            rewrite them
    python scripts/docs/generate.py --check    change nothing; exit 1 and name what is stale

A region begins with an HTML comment `generated:NAME ARGUMENTS` and ends with the comment `end`.
What stands between is made by the function of that name in REGIONS, so it cannot lie.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from quotes import from_hex, from_text, from_zip
from rule_pages import rules
from screens import help_text, json_answer, screen
from tables import (
    codes,
    conformance,
    crash_points,
    doctor_codes,
    errors,
    folders,
    golden_cases,
    modules,
    offset_kinds,
    pinned,
    steps,
)

ROOT = Path(__file__).parents[2]
REGION = re.compile(
    r"(?P<open><!-- generated:(?P<name>[a-z-]+)(?P<arguments>[^\n]*?) -->\n)"
    r"(?P<body>.*?)"
    r"(?P<close><!-- end -->)",
    re.DOTALL,
)
REGIONS: dict[str, Callable[..., str]] = {
    "codes": codes,
    "conformance": conformance,
    "crash-points": crash_points,
    "doctor-codes": doctor_codes,
    "errors": errors,
    "folders": folders,
    "golden-cases": golden_cases,
    "help": help_text,
    "hex": from_hex,
    "json": json_answer,
    "modules": modules,
    "offset-kinds": offset_kinds,
    "pinned": pinned,
    "quote": from_text,
    "rules": rules,
    "screen": screen,
    "steps": steps,
    "zip": from_zip,
}
# What the help looks like depends on the release of typer; what it says does not.
LAYOUT = re.compile(r"<[^>]*>|\{[^}]*\}|\[[^\]]*\]|\W+")


def documents() -> Iterator[Path]:
    yield from sorted(ROOT.glob("docs/**/*.md"))
    yield from (path for path in sorted(ROOT.glob("*.md")) if path.name != "CHANGELOG.md")


def generated(match: re.Match[str]) -> str:
    arguments = match["arguments"].split()
    return REGIONS[match["name"]](*arguments).rstrip("\n") + "\n"


def rewritten(text: str) -> str:
    return REGION.sub(lambda match: match["open"] + generated(match) + match["close"], text)


def stale(text: str) -> Iterator[str]:
    for match in REGION.finditer(text):
        found, wanted = match["body"], generated(match)
        if match["name"] == "help":
            found, wanted = LAYOUT.sub(" ", found), LAYOUT.sub(" ", wanted)
        if found != wanted:
            yield f"{match['name']}{match['arguments']}"


def main() -> int:
    if "--check" in sys.argv[1:]:
        count = 0
        for path in documents():
            for name in stale(path.read_text(encoding="utf-8")):
                print(f"{path.relative_to(ROOT)}: {name}: stale; run scripts/docs/generate.py")
                count += 1
        return 1 if count else 0
    for path in documents():
        before = path.read_text(encoding="utf-8")
        after = rewritten(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"rewrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
