"""diff: two checkpoints side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.difference import Difference, Side, compare_checkpoints
from holdfast.core.fact import Content
from holdfast.core.limits import LOG_BYTES_MAX
from holdfast.core.operator_schemas import read_schemas, schema_names
from holdfast.flows.locate import locate
from holdfast.flows.reading import Look, read_checkpoint

PLANS_COMPARED_MAX = 128
"""The newest batches that both have; older ones are taken to be as equal as the oldest compared."""


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
        contents = item.storage.read(list(paths), LOG_BYTES_MAX)
        plans = {paths[path]: content for path, content in contents.items()}
        sides.append(_side(look, plans))
    return Diffed(
        left=sides[0].checkpoint,
        right=sides[1].checkpoint,
        difference=compare_checkpoints(sides[0], sides[1]),
    )


def _side(look: Look, plans: Mapping[int, Content]) -> Side:
    return Side(
        checkpoint=look.checkpoint,
        plans=plans,
        schemas=read_schemas(look.found, look.contents),
    )
