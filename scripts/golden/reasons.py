"""One line out of the pages Spark prints when it fails."""

from __future__ import annotations

import re

LENGTH_LIMIT = 300
# Ids and addresses change with every making; a reason must not.
CHANGING = re.compile(r"Query \[id = [^\]]*\] |\(TID \d+\) |in stage [\d.]+|calling o\d+\.")
FRAME = re.compile(r"^\s*(at |\.\.\. \d+ more)")


def reason(error: BaseException) -> str:
    """The innermost line that names a condition, else the innermost cause, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if not FRAME.match(line)]
    lines = [line for line in lines if line]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    named = [line for line in lines if re.search(r"\[[A-Z_]{6,}", line)]
    conditions = [line for line in named if "[STREAM_FAILED]" not in line]
    for candidates in (conditions[-1:], causes[-1:], named[:1], lines[:1]):
        if candidates:
            text = candidates[0].split("executor driver): ")[-1]
            text = CHANGING.sub("", text).removeprefix("Caused by: ")
            return text.split("SQLSTATE")[0].strip()[:LENGTH_LIMIT]
    return type(error).__name__
