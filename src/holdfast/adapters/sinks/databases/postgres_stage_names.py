"""Names of staging tables and of connections: whose they are, and of which epoch."""

import re
import secrets
from hashlib import blake2b

from holdfast.adapters.sinks.databases.port import Writer

TOKEN_BYTES = 6
PREFIX = "holdfast_s_"


def tag(writer: Writer) -> str:
    """How connections of a query and sink are told from others; the epoch follows it."""
    return f"holdfast {_who(writer, 12)} "


def new_token() -> str:
    """What no other attempt has."""
    return secrets.token_hex(TOKEN_BYTES)


def prefix_of(writer: Writer) -> str:
    """How names of staging tables of a query and sink begin."""
    return f"{PREFIX}{_who(writer, 8)}_"


def epoch_of(name: str) -> float:
    """Of a table of ours; greater than any for a name that is none."""
    parts = name.removeprefix(PREFIX).split("_")
    if len(parts) != 4 or not all(re.fullmatch("[0-9a-f]+", part) for part in parts):
        return float("inf")
    return int(parts[1], 16)


def _who(writer: Writer, size: int) -> str:
    who = f"{writer.query_id}\n{writer.sink}"
    return blake2b(who.encode(), digest_size=size).hexdigest()
