"""`${env:NAME}`: values that come from outside the declaration and reach no output."""

import re
from collections.abc import Callable, Mapping

from holdfast.core.secret_text import (
    HIDDEN,
    SECRET_CHARACTERS_MIN,
    SecretText,
    is_secret_name,
    password_in,
    without_password,
)

_REFERENCE = re.compile(r"\$\{env:(?P<name>[^}]*)\}?")
_WELL_FORMED = re.compile(r"\$\{env:[A-Za-z_][A-Za-z0-9_]*\}", re.ASCII)


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
        if is_secret_name(name) and len(text) >= SECRET_CHARACTERS_MIN:
            secret = SecretText(text, HIDDEN)
            self.secrets.add(secret)
            return secret
        password = password_in(text)
        if password is None:
            return text
        if len(password) >= SECRET_CHARACTERS_MIN:
            self.secrets.add(SecretText(password, HIDDEN))
        return SecretText(text, without_password(text))

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
