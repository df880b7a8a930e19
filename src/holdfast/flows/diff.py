"""diff: two checkpoints side by side."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Content
from holdfast.core.limits import LOG_BYTES_MAX
from holdfast.core.ports import Storage
from holdfast.core.reading.difference import Difference, Side, compare_checkpoints
from holdfast.core.reading.operator_schemas import read_schemas, schema_names
from holdfast.flows.locate import locate
from holdfast.flows.reading import Look, read_checkpoint

PLANS_COMPARED_MAX = 128
"""The newest batches that both have; older ones are taken to be as equal as the oldest compared."""

_PLANS_AT_A_TIME = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Diffed:
    """The two checkpoints and what differs."""

    left: Checkpoint
    right: Checkpoint
    difference: Difference


def diff(left: str, right: str) -> Diffed:
    """Compare the checkpoints at two locations; read-only."""
    located = [locate(left), locate(right)]
    looks = [read_checkpoint(item.storage, more=schema_names, notes=item.notes) for item in located]
    common = set(looks[0].found.offsets.ids) & set(looks[1].found.offsets.ids)
    newest = sorted(common)[-PLANS_COMPARED_MAX:]
    sides = []
    for item, look in zip(located, looks, strict=True):
        paths = {look.found.offsets.path(batch): batch for batch in newest}
        contents = _digests(item.storage, list(paths))
        plans = {paths[path]: content for path, content in contents.items()}
        sides.append(_side(look, plans))
    return Diffed(
        left=sides[0].checkpoint,
        right=sides[1].checkpoint,
        difference=compare_checkpoints(sides[0], sides[1]),
    )


def _digests(storage: Storage, names: list[str]) -> dict[str, Content]:
    """Digests in place of contents: they are only compared, and together they may be large."""
    result: dict[str, Content] = {}
    waiting = iter(names)
    while chunk := list(islice(waiting, _PLANS_AT_A_TIME)):
        for name, content in storage.read(chunk, LOG_BYTES_MAX).items():
            if isinstance(content, bytes):
                content = hashlib.sha256(content).digest()
            result[name] = content
    return result


def _side(look: Look, plans: Mapping[int, Content]) -> Side:
    return Side(
        checkpoint=look.checkpoint,
        plans=plans,
        schemas=read_schemas(look.found, look.contents),
    )
