"""What a statement does, by its first words alone: never a name and never a value."""

import re
from typing import Final

_NOISE = re.compile(
    rb"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$", re.DOTALL
)
_WORD = re.compile(rb"\s*\(*\s*([A-Za-z]+)")
_TWO_PHASES = re.compile(rb"\s*(COMMIT\s+PREPARED|PREPARE\s+TRANSACTION)\b", re.IGNORECASE)
_LOOKED_AT = 65_536
"""Bytes of a statement; an INSERT of a whole batch may have megabytes, and begins with its verb."""

READING: Final = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "CALL", "DO"})
"""May write all the same, by a function."""
WRITING: Final = frozenset(
    {"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "COPY", "LOAD", "CREATE", "ALTER", "DROP"}
    | {"TRUNCATE", "EXECUTE", "PREPARE TRANSACTION", "REFRESH", "RENAME", "GRANT"}
)
COMMITTING: Final = frozenset({"COMMIT", "END", "COMMIT PREPARED"})
UNDOING: Final = frozenset({"ROLLBACK", "ABORT"})
_KNOWN = READING | WRITING | COMMITTING | UNDOING
PASSING: Final = frozenset(
    {"BEGIN", "START", "SET", "RESET", "SHOW", "SAVEPOINT", "RELEASE", "DISCARD", "DEALLOCATE"}
    | {"PREPARE", "DECLARE", "FETCH", "MOVE", "CLOSE", "LISTEN", "UNLISTEN", "EXPLAIN", "ANALYZE"}
    | {"VACUUM", "LOCK", "USE", "DESCRIBE", "CHECKPOINT", "NOTIFY", "COMMENT"}
)
"""After these nothing lasts that did not last before."""
OTHER: Final = "statement"


def verb_of(statement: bytes) -> str:
    """The verbs of one or more statements; '' where nothing of them can last."""
    head = statement[:_LOOKED_AT]
    parts = _NOISE.sub(b" ", head).split(b";")
    if len(statement) > _LOOKED_AT:
        parts = parts[:1]  # the rest may be in the middle of a text
    verbs: list[str] = []
    for part in parts:
        verb = _one(part)
        if verb and verb not in verbs:
            verbs.append(verb)
    return "; ".join(verbs)


def commits(verb: str) -> bool:
    """Whether the last of the verbs makes work last that came before it."""
    return verb.rpartition("; ")[2] in COMMITTING


def writes(verb: str) -> bool:
    """Whether any of the verbs may change something."""
    return any(each in WRITING | READING or each == OTHER for each in verb.split("; "))


def _one(statement: bytes) -> str:
    two = _TWO_PHASES.match(statement)
    if two is not None:
        return b" ".join(two[1].upper().split()).decode()
    word = _WORD.match(statement)
    if word is None:
        return OTHER if statement.strip() else ""
    verb = word[1].upper().decode()
    if verb in PASSING:
        return ""
    return verb if verb in _KNOWN else OTHER
