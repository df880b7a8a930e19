"""Quotes from the golden checkpoints: what real Spark wrote, cut only where it is long."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
LINE_MAX = 700
LINES_MAX = 8
CONF = re.compile(r'"conf":\{("[^"]+":"[^"]*"),.*?\}')


def find(pattern: str) -> Path:
    """The one file a pattern names; ids in names change whenever a case is made anew."""
    wants_hidden = pattern.rpartition("/")[2].startswith(".")
    paths = sorted(GOLDEN.glob(pattern))
    found = [path for path in paths if wants_hidden or not path.name.startswith(".")]
    if not found:
        raise FileNotFoundError(f"no golden file is called {pattern}")
    return found[0]


def shown(path: Path) -> str:
    return f"tests/golden/{path.relative_to(GOLDEN).as_posix()}"


def from_text(pattern: str) -> str:
    """A text file; of a long list of settings only the first."""
    path = find(pattern)
    text = CONF.sub(r'"conf":{\1, …}', path.read_text(encoding="utf-8"))
    lines = [line if len(line) <= LINE_MAX else f"{line[:LINE_MAX]} …" for line in text.split("\n")]
    more = len(lines) - LINES_MAX
    if more > 0:
        lines = [*lines[:LINES_MAX], f"… {more} more lines"]
    return _fenced(path, "\n".join(lines))


def from_hex(pattern: str, count: str = "48") -> str:
    """The first bytes of a binary file."""
    path = find(pattern)
    data = path.read_bytes()
    rows = []
    for start in range(0, min(int(count), len(data)), 16):
        row = data[start : start + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        rows.append(f"{start:04x}  {row.hex(' '):<47}  {text}")
    if len(data) > int(count):
        rows.append(f"… {len(data)} bytes in all")
    return _fenced(path, "\n".join(rows))


def from_zip(pattern: str) -> str:
    """The members of a RocksDB snapshot, and its member `metadata`."""
    path = find(pattern)
    with zipfile.ZipFile(path) as archive:
        members = [f"{info.filename:<18}{info.file_size:>8} bytes" for info in archive.infolist()]
        metadata = archive.read("metadata").decode()
    return _fenced(path, "\n".join([*members, "", "metadata:", metadata.rstrip("\n")]))


def _fenced(path: Path, text: str) -> str:
    body = text.rstrip("\n")
    return f"`{shown(path)}`\n```text\n{body}\n```"
