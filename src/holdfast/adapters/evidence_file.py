"""Evidence as a file: taken here, judged here or elsewhere, with the same result."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.core.evidence.evidence import SCHEMA, Evidence
from holdfast.core.evidence.pack import decode
from holdfast.errors import MalformedError, NewerVersionError, UnreachableError

_FAMILY = SCHEMA.rpartition("/")[0] + "/"


def is_evidence_file(typed: str) -> bool:
    """Whether somebody named a file; checkpoints are folders."""
    return Path(typed).is_file()


def write_evidence(path: str, envelope: Mapping[str, Any]) -> None:
    """Save it in its envelope; a file that is there already is replaced."""
    try:
        Path(path).write_text(json.dumps(envelope, indent=1) + "\n")
    except OSError as error:
        raise UnreachableError(
            f"the evidence cannot be written: {error.strerror}",
            subject=path,
            next_action="name a file in a folder that can be written",
        ) from error


def read_evidence(path: str) -> Evidence:
    """Evidence from a file; raises where it is none, or newer than this release knows."""
    try:
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise UnreachableError(
            f"the evidence cannot be read: {error.strerror}", subject=path
        ) from error
    except (ValueError, RecursionError) as error:
        raise MalformedError("this is no evidence: it is no JSON", subject=path) from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(schema, str) or not schema.startswith(_FAMILY):
        raise MalformedError(
            "this is no evidence: it does not say so in `schema`",
            subject=path,
            next_action="take it with `holdfast evidence CKPT -o evidence.json`",
        )
    if schema != SCHEMA:
        raise NewerVersionError(
            f"the evidence says {schema}, and this release knows {SCHEMA}",
            subject=path,
            next_action="judge it with the release that took it, or a newer one",
        )
    try:
        return decode(Evidence, data.get("result"))
    except MalformedError as error:
        raise MalformedError(error.message, subject=path) from error
