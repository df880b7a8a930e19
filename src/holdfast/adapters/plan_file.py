"""plan.json: a plan written for people to read, for `apply` to carry out, and for nobody to edit.

The id is a digest of everything else in the file. A plan that was changed by hand no longer has the
id that it says, and is refused.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from holdfast.core.limits import PLAN_BYTES_MAX
from holdfast.core.plans.plan import FORMAT, SCHEMA, Plan
from holdfast.errors import MalformedError, NewerVersionError, UnreachableError, UsageError

ID_DIGITS = 12

with_config(ConfigDict(extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"))(Plan)
_PLAN: TypeAdapter[Plan] = TypeAdapter(Plan)


def plan_id(plan: Plan) -> str:
    """The digest of a plan: its name in the journal."""
    return _id_of(_PLAN.dump_python(plan, mode="json"))


def encode_plan(plan: Plan) -> bytes:
    """The file of a plan."""
    content = _PLAN.dump_python(plan, mode="json")
    file = {"schema": SCHEMA, "id": _id_of(content), "plan": content}
    return json.dumps(file, indent=1, ensure_ascii=False).encode() + b"\n"


def decode_plan(data: bytes, origin: str) -> Plan:
    """Read the file of a plan; raises MalformedError where it is not as it was written."""
    try:
        file = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _refused("this is not a plan: it is not JSON", origin) from error
    if not isinstance(file, dict) or not isinstance(file.get("plan"), dict):
        raise _refused("this is not a plan: it holds no plan", origin)
    content = file["plan"]
    version = content.get("format")
    if file.get("schema") != SCHEMA or version != FORMAT:
        raise NewerVersionError(
            f"this plan is of format {version!r} ({file.get('schema')!r}); "
            f"this release carries out format {FORMAT}",
            subject=origin,
            next_action="make the plan again with this release: holdfast plan …",
        )
    if file.get("id") != _id_of(content):
        raise _refused("this plan was changed after it was made", origin)
    try:
        return _PLAN.validate_json(json.dumps(content))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise _refused(f"this is not a plan: {where}: {first['msg']}", origin) from error


def write_plan(plan: Plan, path: str) -> None:
    """Write a plan to a file, whole; one of that name is replaced only where it is a plan too."""
    target = Path(path)
    try:
        if target.exists() and not target.read_bytes()[:200].lstrip().startswith(b'{\n "schema"'):
            raise UsageError(
                "a file that is no plan has this name", subject=path, next_action="name another"
            )
        beside = target.with_name(f".{target.name}.tmp")
        beside.write_bytes(encode_plan(plan))
        beside.replace(target)
    except OSError as error:
        raise UnreachableError(
            f"the plan cannot be written: {error.strerror}",
            subject=path,
            next_action="name another file by -o",
        ) from error


def read_plan(path: str) -> Plan:
    """Read a plan from a file."""
    try:
        with open(path, "rb") as file:
            data = file.read(PLAN_BYTES_MAX + 1)
    except OSError as error:
        raise UnreachableError(
            f"the plan cannot be read: {error.strerror}",
            subject=path,
            next_action="name the file that `holdfast plan … -o` wrote",
        ) from error
    if len(data) > PLAN_BYTES_MAX:
        raise _refused(f"this is no plan: it has more than {PLAN_BYTES_MAX:,} bytes", path)
    return decode_plan(data, path)


def _id_of(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]


def _refused(message: str, origin: str) -> MalformedError:
    return MalformedError(
        message, subject=origin, next_action="make it again: holdfast plan …; nothing was changed"
    )
