"""The ledger of a table of plain files: numbered entries, each the manifest of a batch or a fence.

An entry is created under the next free number, by exactly one writer, who has read all entries
before it. So the entries of a query have one order, and in it an epoch never falls: a writer that
was overtaken finds its number taken. Every entry carries its own digest and that of the one
before it: what was altered, or taken out, is found.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

from holdfast.errors import FencedError, MalformedError, NewerVersionError

VERSION: Final = 1
NAME_DIGITS: Final = 12
"""A million million entries, in the order of their names."""
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """One file of a batch."""

    path: str
    """Below the folder of its batch, separated by `/`."""
    size_bytes: int
    rows: int | None
    """None where only the batch as a whole was counted."""
    digest: str | None
    """SHA-256 of its bytes, None where nobody read them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry: a batch with its files, or a fence, which has none."""

    number: int
    token: str
    """Of the attempt that made it; whose entry it is when an answer was lost."""
    epoch: int
    batch: int | None
    """None for a fence."""
    last_batch: int | None
    """The newest batch up to here, this one included."""
    last_number: int | None
    """The number of the entry of that batch."""
    folder: str | None
    """Of the files, below the table; None for a fence and for a batch without rows."""
    staged: str | None
    """Where the files lie until they are published, below the staging folder."""
    files: tuple[DataFile, ...]
    rows: int
    offsets: Mapping[str, Any]
    written_at_ms: int
    previous: str
    """Digest of the entry before; empty for the first one."""

    @property
    def digest(self) -> str:
        """Of everything else in the entry."""
        return digest_of(_fields(self))

    def holds(self, batch_id: int) -> bool:
        """Whether the rows of this batch are in the table, as of this entry."""
        return self.last_batch is not None and self.last_batch >= batch_id

    def check_fence(self, epoch: int, query_id: str, sink: str) -> None:
        """Raises FencedError where a higher epoch has been seen."""
        if self.epoch > epoch:
            raise FencedError(
                f"epoch {self.epoch} has taken over sink {sink!r}; this is epoch {epoch}",
                subject=query_id,
                next_action="stop this query: a newer start of it is writing",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose table it is and what shape it has; written once, by the first query."""

    query: str | None
    """None where several queries share the table."""
    format: str
    partition_by: tuple[str, ...]
    batch_column: str


def name_of(number: int) -> str:
    """The name of the file of an entry."""
    return f"{number:0{NAME_DIGITS}d}.json"


def number_of(name: str) -> int | None:
    """The number in the name of a file, None where it is no entry."""
    stem, dot, suffix = name.partition(".")
    fits = dot and suffix == "json" and len(stem) >= NAME_DIGITS and stem.isascii()
    return int(stem) if fits and stem.isdigit() else None


def encode_entry(entry: Entry) -> bytes:
    """An entry as the bytes of its file."""
    return _text({**_fields(entry), "digest": entry.digest}).encode()


def decode_entry(data: bytes, number: int, subject: str) -> Entry:
    """An entry from the bytes of its file; raises MalformedError where they were altered."""
    found = _object(data, subject)
    told = found.pop("digest", None)
    if told != digest_of(found):
        raise altered(subject, "its digest does not fit what it says")
    try:
        files = tuple(DataFile(**each) for each in found.pop("files"))
        del found["version"]
        entry = Entry(**found, files=files)
    except (TypeError, KeyError) as error:
        raise altered(subject, f"it lacks what an entry has: {error}") from error
    if entry.number != number:
        raise altered(subject, f"it says that it is entry {entry.number}")
    return entry


def encode_owner(owner: Owner) -> bytes:
    """Whose table it is, as the bytes of its file."""
    fields = {
        "version": VERSION,
        "query": owner.query,
        "format": owner.format,
        "partition_by": list(owner.partition_by),
        "batch_column": owner.batch_column,
    }
    return _text(fields).encode()


def decode_owner(data: bytes, subject: str) -> Owner:
    """Whose table it is; raises MalformedError where the file says nothing of the kind."""
    found = _object(data, subject)
    try:
        return Owner(
            query=found["query"],
            format=found["format"],
            partition_by=tuple(found["partition_by"]),
            batch_column=found["batch_column"],
        )
    except (TypeError, KeyError) as error:
        raise altered(subject, f"it lacks what it must have: {error}") from error


def check_chain(entries: Sequence[Entry], subject: str, first: int = 1) -> None:
    """Raises MalformedError where one is missing, or another was put in the place of one.

    Where they do not begin with the first of all, what lies before them is not looked at.
    """
    before: Entry | None = None
    for entry in entries:
        expected = first if before is None else before.number + 1
        if entry.number != expected:
            raise altered(f"{subject}/{name_of(expected)}", "it is missing")
        known = None if first > 1 and before is None else "" if before is None else before.digest
        if known is not None and entry.previous != known:
            place = f"{subject}/{name_of(entry.number - 1)}"
            raise altered(place, "the entry after it knows another one in its place")
        before = entry


def newest_number(numbers: Sequence[int], subject: str) -> int:
    """The highest of the numbers in a folder, 0 where it is empty; raises where one is missing."""
    for expected, number in enumerate(sorted(numbers), 1):
        if number != expected:
            raise altered(f"{subject}/{name_of(expected)}", "it is missing")
    return len(numbers)


def altered(subject: str, what: str) -> MalformedError:
    """The error that says what is not as it was written."""
    return MalformedError(
        f"the ledger of the table was altered: {what}",
        subject=subject,
        next_action="bring the ledger back as it was written; nothing was read or written",
    )


def digest_of(fields: Mapping[str, Any]) -> str:
    """The digest of what can be said in JSON, whatever the order of its names."""
    return blake2b(_text(fields).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _fields(entry: Entry) -> dict[str, Any]:
    return {
        "version": VERSION,
        "number": entry.number,
        "token": entry.token,
        "epoch": entry.epoch,
        "batch": entry.batch,
        "last_batch": entry.last_batch,
        "last_number": entry.last_number,
        "folder": entry.folder,
        "staged": entry.staged,
        "files": [
            {"path": f.path, "size_bytes": f.size_bytes, "rows": f.rows, "digest": f.digest}
            for f in entry.files
        ],
        "rows": entry.rows,
        "offsets": entry.offsets,
        "written_at_ms": entry.written_at_ms,
        "previous": entry.previous,
    }


def _text(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def _object(data: bytes, subject: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise altered(subject, "it is no JSON") from error
    if not isinstance(found, dict) or not isinstance(found.get("version"), int):
        raise altered(subject, "it is none of ours")
    if found["version"] > VERSION:
        raise NewerVersionError(
            f"the ledger is of version {found['version']}, and {VERSION} is known",
            subject=subject,
            next_action="install a newer Holdfast",
        )
    return found
