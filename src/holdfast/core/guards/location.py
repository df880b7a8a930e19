"""Locations made comparable: one spelling for every way to write the same place."""

import hashlib
from dataclasses import dataclass

_SAME_STORE = {
    "s3a": "s3",
    "s3n": "s3",
    "gcs": "gs",
    "abfss": "abfs",
    "wasb": "abfs",
    "wasbs": "abfs",
}
LOCAL = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A location taken apart. Case is kept: most stores tell it apart."""

    scheme: str
    """`file` for a local path, however it was written."""
    authority: str
    """Bucket, container or name node; empty for a local path."""
    parts: tuple[str, ...]

    @property
    def is_local(self) -> bool:
        """Whether it lies on the disk of one machine."""
        return self.scheme == LOCAL

    def is_inside(self, other: "Place") -> bool:
        """Whether it lies below another place; a place is not inside itself."""
        return (
            (self.scheme, self.authority) == (other.scheme, other.authority)
            and len(self.parts) > len(other.parts)
            and self.parts[: len(other.parts)] == other.parts
        )


def place_of(location: str) -> Place:
    """Take a path or URL apart: `//`, `.`, `..` and a slash at the end make no difference."""
    scheme, authority, path = _split(location)
    scheme = _SAME_STORE.get(scheme, scheme)
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    if scheme == LOCAL and parts[:1] == ["dbfs"]:
        # Databricks shows DBFS to programs as the folder /dbfs.
        return Place(scheme="dbfs", authority="", parts=tuple(parts[1:]))
    if scheme == LOCAL:
        authority = ""
    return Place(scheme=scheme, authority=authority, parts=tuple(parts))


def place_digest(location: str) -> str:
    """A place as it may be written down and compared, whatever its location gives away."""
    place = place_of(location)
    text = "\0".join((place.scheme, place.authority, *place.parts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _split(location: str) -> tuple[str, str, str]:
    scheme, colon, rest = location.partition(":")
    if not colon or not rest.startswith("/") or not _is_scheme(scheme):
        return LOCAL, "", location
    if not rest.startswith("//"):
        return scheme.lower(), "", rest
    authority, _, path = rest[2:].partition("/")
    return scheme.lower(), authority, path


def _is_scheme(text: str) -> bool:
    return len(text) > 1 and text[0].isalpha() and all(c.isalnum() or c in "+.-" for c in text)
