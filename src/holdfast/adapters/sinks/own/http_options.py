"""The options of an HTTP sink, checked at the door."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args
from urllib.parse import urlsplit

from holdfast.adapters.sinks.option_values import refuse_unknown, require_text, wrong
from holdfast.adapters.sinks.own.shared_options import SHARED
from holdfast.core.secret_text import as_shown, without_password
from holdfast.errors import UsageError

Method = Literal["POST", "PUT", "PATCH"]
Body = Literal["lines", "array"]

KIND = "http"
TOKEN_HEADER = "Idempotency-Key"
TIMEOUT_SECONDS = 30.0
TIMEOUT_SECONDS_MAX = 600.0

_OPTIONS = ("url", "method", "body", "headers", "token_header", "timeout_seconds", *SHARED)
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "expect"})
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTENT_TYPES: Mapping[Body, str] = {
    "lines": "application/x-ndjson",
    "array": "application/json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """Where and how chunks are sent. Raises UsageError where that cannot be right."""

    url: str
    method: Method = "POST"
    body: Body = "lines"
    headers: Mapping[str, str]
    token_header: str = TOKEN_HEADER
    timeout_seconds: float = TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        """Check what can be checked without the server."""
        try:
            parts = urlsplit(self.url)
            _ = parts.port
        except ValueError:
            raise _wrong("url is no URL", "write url: https://host/path") from None
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or self.url.split() != [self.url]
        ):
            raise _wrong("url must begin with https:// or http://", "write url: https://host/path")
        if parts.username is not None or parts.password is not None:
            raise _wrong("url holds a user", "put it into headers: {Authorization: ${env:…}}")
        if parts.fragment:
            raise _wrong("url has a fragment, which no server sees", "remove what follows #")
        if self.method not in get_args(Method):
            raise _wrong(f"method cannot be {self.method!r}", "use POST, PUT or PATCH")
        if self.body not in get_args(Body):
            raise _wrong(f"body cannot be {self.body!r}", "use lines or array")
        if not 0 < self.timeout_seconds <= TIMEOUT_SECONDS_MAX:
            raise _wrong(
                f"timeout_seconds cannot be {self.timeout_seconds}",
                f"use a number up to {TIMEOUT_SECONDS_MAX:.0f}",
            )
        for name, value in {**self.headers, self.token_header: "x"}.items():
            _check_header(name, value)
        if self.token_header.lower() in {name.lower() for name in self.headers}:
            raise _wrong(f"the header {self.token_header} holds the token", "leave it out")

    @property
    def location(self) -> str:
        """The URL as it may be shown: without what follows `?`, which may be a key."""
        return without_password(as_shown(self.url)).partition("?")[0]

    @property
    def sent_headers(self) -> dict[str, str]:
        """The headers of every request, but for the token."""
        given = {name.lower() for name in self.headers}
        ours = {"Content-Type": _CONTENT_TYPES[self.body], "User-Agent": "holdfast"}
        kept = {name: value for name, value in ours.items() if name.lower() not in given}
        return {**kept, **self.headers}

    @classmethod
    def parse(cls, options: Mapping[str, Any]) -> Self:
        """From the options of a declaration; raises UsageError that names the option."""
        refuse_unknown(KIND, options, _OPTIONS)
        values = {
            name: value
            for name, value in options.items()
            if value is not None and name not in SHARED
        }
        if "url" not in values:
            raise _wrong("option 'url' is missing", "add url: https://host/path")
        require_text(KIND, values, ("url", "method", "body", "token_header"))
        headers = values.setdefault("headers", {})
        if not isinstance(headers, Mapping):
            raise _wrong("headers must be a mapping", "write headers: {Name: value}")
        if "timeout_seconds" in values:
            values["timeout_seconds"] = _number("timeout_seconds", values["timeout_seconds"])
        return cls(**values)


def _check_header(name: Any, value: Any) -> None:
    """Neither a name nor a value can end the line; values are never shown."""
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        raise _wrong("headers have a name that is none", "use letters, digits and -")
    if name.lower() in _OURS:
        raise _wrong(f"the header {name} is not yours to set", "leave it out")
    if not isinstance(value, str) or not value.isprintable() or not value.isascii():
        raise _wrong(f"the header {name} must be one line of ASCII text", "put it in quotes")


def _number(name: str, value: Any) -> float:
    try:
        return float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        raise _wrong(f"{name} must be a number", f"write {name}: 30") from None


def _wrong(message: str, next_action: str) -> UsageError:
    return wrong(KIND, message, next_action)
