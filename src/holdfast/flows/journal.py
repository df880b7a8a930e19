"""Reading the journal of operations on a checkpoint: which is open, and which is in effect."""

from dataclasses import dataclass

from holdfast.core.fact import Known, interpret
from holdfast.core.plans.journal import (
    FOLDER,
    Journalled,
    begin_name,
    open_operation,
    read_begin,
    read_names,
)
from holdfast.core.running.ports import Records
from holdfast.errors import MalformedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The newest operation that was carried out and not undone."""

    operation: str
    epoch: int
    last_batch: int | None
    """The newest batch that counts as finished since; None where none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """What the journal says of the checkpoint as it is."""

    open: str | None
    newest: Effect | None


def read_journal(records: Records) -> Operations:
    """One listing, and one small file for each operation that ended; most journals are empty."""
    names = records.names(FOLDER)
    if not names:
        return Operations(open=None, newest=None)
    stopped = open_operation(names)
    effects = [
        effect
        for each in read_names(names).values()
        if not each.is_open and (effect := _effect(records, each)) is not None
    ]
    return Operations(
        open=stopped.operation if stopped else None,
        newest=max(effects, key=lambda effect: effect.epoch, default=None),
    )


def _effect(records: Records, journalled: Journalled) -> Effect | None:
    last = journalled.last
    if last is None:
        return None
    name = begin_name(journalled.operation, last.number)
    begin = interpret(name, records.read(name), read_begin)
    if not isinstance(begin, Known):
        raise MalformedError(
            "the journal is damaged, so what was done to this checkpoint is not known",
            subject=f"{records.location}/{name}",
            next_action="restore the file from a copy of the records",
        )
    if begin.value.direction == "undo":
        return None
    return Effect(
        operation=journalled.operation,
        epoch=begin.value.epoch,
        last_batch=begin.value.last_batch,
    )
