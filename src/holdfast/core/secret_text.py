"""Secrets are used as they are and shown as what stands for them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Self

HIDDEN: Final = "***"

SECRET_CHARACTERS_MIN: Final = 6
"""Shorter values, such as `true`, are no secrets, and hiding them would blot out every output."""

_PASSWORD = re.compile(r"(?P<user>://[^/@:\s]*):(?P<password>[^/@\s]+)@")
_SECRET_NAME = re.compile(
    r"passw|secret|token|jaas|credential|access\.?key|account\.?key|authorization|api-?key|cookie",
    re.I,
)


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


def as_shown(text: str) -> str:
    """What may be shown of a text."""
    return text.shown if isinstance(text, SecretText) else text


def derived(value: str, original: str, shown: str) -> str:
    """A text that was made from another: secret if that one was."""
    return SecretText(value, shown) if isinstance(original, SecretText) else value


def is_secret_name(name: str) -> bool:
    """Whether a value of this name is a secret, whoever wrote it."""
    return _SECRET_NAME.search(name) is not None


def password_in(text: str) -> str | None:
    """The password of a URL, None where it has none."""
    match = _PASSWORD.search(text)
    return None if match is None else match["password"]


def without_password(text: str) -> str:
    """A text whose URLs show no password."""
    return _PASSWORD.sub(rf"\g<user>:{HIDDEN}@", text)


def hide(text: str, secrets: Iterable[str]) -> str:
    """A text of Spark's or a driver's, in which every secret is replaced by what stands for it."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SECRET_CHARACTERS_MIN:
            text = text.replace(str.__str__(secret), _stand_in(secret))
    return without_password(text)


def shown_options(options: Mapping[str, Any], secrets: Iterable[str]) -> dict[str, Any]:
    """Options that may be written down: secrets by value, by name and inside URLs are hidden."""
    known = tuple(secrets)
    return {name: _shown_value(name, value, known) for name, value in options.items()}


def _shown_value(name: str, value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, SecretText):
        return value.shown
    if isinstance(value, Mapping):
        return shown_options(value, secrets)
    if isinstance(value, list | tuple):
        return [_shown_value(name, item, secrets) for item in value]
    if isinstance(value, str):
        return HIDDEN if is_secret_name(name) else hide(value, secrets)
    return value


def _stand_in(secret: str) -> str:
    return secret.shown if isinstance(secret, SecretText) else HIDDEN
