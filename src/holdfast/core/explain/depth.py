"""How deep in a stack trace a line lies: the innermost cause is the one that says why."""

import re
from typing import Final

_LOOK_BACK_CHARACTERS: Final = 65_536
"""A trace of Spark's with all its causes is some 20 kB; what is further back is another one."""

_CAUSE: Final = "caused by:"
_RECORD: Final = re.compile(
    r"\[?\d{2,4}[-/.]\d{2}[-/.]\d{2}|(?:error|warn|info|fatal|debug)\b|traceback |exception in "
    r'|\{"',
)


def depth_at(lowered: str, at: int) -> int:
    """How many causes were named since the record began that this place belongs to."""
    end = lowered.find("\n", at)
    window = lowered[max(0, at - _LOOK_BACK_CHARACTERS) : end if end >= 0 else len(lowered)]
    depth = 0
    for line in reversed(window.split("\n")):
        stripped = line.lstrip()
        if stripped.startswith(_CAUSE):
            depth += 1
        elif _RECORD.match(stripped):
            return depth
    return depth
