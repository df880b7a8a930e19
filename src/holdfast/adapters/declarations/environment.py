"""`${env:NAME}`: values that come from outside the declaration and reach no output."""

import re
from collections.abc import Callable, Mapping
from typing import Self

_REFERENCE = re.compile(r"\$\{env:(?P<name>[^}]*)\}?")
_WELL_FORMED = re.compile(r"\$\{env:[A-Za-z_][A-Za-z0-9_]*\}", re.ASCII)
_PASSWORD = re.compile(r"(?P<user>://[^/@:\s]*):(?P<password>[^/@\s]+)@")
_SECRET_NAME = re.compile(r"passw|secret|token|jaas|credential|access\.?key|account\.?key", re.I)
_SECRET_CHARACTERS_MIN = 6
"""Shorter values, such as `true`, are no secrets, and hiding them would blot out every output."""

HIDDEN = "***"


class SecretText(str):
    """Text that is used as it is and shown as it was written in the declaration.

    `repr` gives the reference, and so does the `repr` of whatever holds it; `str` and formatting
    give the value, because that is what Spark and the database need.
    """

    __slots__ = ("shown",)
    shown: str

    def __new__(cls, value: str, shown: str) -> Self:
        """Keep the value and what stands for it."""
        text = super().__new__(cls, value)
        text.shown = shown
        return text

    def __repr__(self) -> str:
        return repr(self.shown)

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return (type(self), (str.__str__(self), self.shown))


class Variables:
    """Fills in references, and remembers every value that it handed out."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Take the environment as a value: nothing here reads the process's own."""
        self._environ = environ
        self.secrets: set[str] = set()

    def fill(self, text: str, name: str, refuse: Callable[[str], None]) -> str:
        """Fill in every reference of a text; what cannot be is told to `refuse`.

        What was written out is a secret too, where it is the password of a URL or its name says
        so: a declaration that should not hold it is no reason to show it.
        """
        if "${env:" not in text:
            return self._written_out(text, name)
        value = _REFERENCE.sub(lambda match: self._value(match, refuse), text)
        return SecretText(value, text)

    def _written_out(self, text: str, name: str) -> str:
        if _SECRET_NAME.search(name) and len(text) >= _SECRET_CHARACTERS_MIN:
            secret = SecretText(text, HIDDEN)
            self.secrets.add(secret)
            return secret
        match = _PASSWORD.search(text)
        if match is None:
            return text
        if len(match["password"]) >= _SECRET_CHARACTERS_MIN:
            self.secrets.add(SecretText(match["password"], HIDDEN))
        return SecretText(text, _PASSWORD.sub(rf"\g<user>:{HIDDEN}@", text))

    def _value(self, match: re.Match[str], refuse: Callable[[str], None]) -> str:
        reference, name = match[0], match["name"]
        if not _WELL_FORMED.fullmatch(reference):
            refuse(f"{reference!r} is no reference; allowed is ${{env:NAME}}")
            return ""
        value = self._environ.get(name)
        if value is None:
            refuse(f"the environment has no variable {name}, which {reference} asks for")
            return ""
        if value:
            self.secrets.add(SecretText(value, reference))
        return value


def as_shown(text: str) -> str:
    """What may be shown of a text."""
    return text.shown if isinstance(text, SecretText) else text


def derived(value: str, original: str, shown: str) -> str:
    """A text that was made from another: secret if that one was."""
    return SecretText(value, shown) if isinstance(original, SecretText) else value
