"""Arguments as a person types them into a shell, on one line whatever they hold."""

import shlex
from collections.abc import Iterable


def shell_line(words: Iterable[str]) -> str:
    """A command line that gives exactly these words."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    # A line break inside quotes would be spelled out on the screen, and mean something else there.
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
