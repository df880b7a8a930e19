"""Relative paths begin at the folder of the declaration."""

import os
import re

from holdfast.core.secret_text import as_shown, derived

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_SQLITE = re.compile(r"(?P<scheme>sqlite(?:\+\w+)?:///)(?P<path>[^/?:][^?:]*)(?P<rest>\?.*)?")


def absolute(location: str, folder: str) -> str:
    """A path in full; a URL as it is, without a slash at its end."""
    if _URL.match(location):
        value = location.rstrip("/") if not location.endswith(":/") else location
    else:
        value = os.path.normpath(os.path.join(folder, location))
    return derived(value, location, as_shown(location))


def below(location: str, name: str) -> str:
    """The location of an entry of a folder."""
    shown = f"{as_shown(location).rstrip('/')}/{name}"
    return derived(f"{location.rstrip('/')}/{name}", location, shown)


def absolute_sqlite(url: str, folder: str) -> str:
    """The URL of an SQLite file with its path in full; any other URL as it is."""
    match = _SQLITE.fullmatch(url)
    if match is None:
        return url
    path = os.path.normpath(os.path.join(folder, match["path"]))
    return derived(f"{match['scheme']}{path}{match['rest'] or ''}", url, as_shown(url))
