"""apply and undo: one pass over the steps of a plan, journalled, under the lease of its checkpoint.

A pass that was killed is gone on with by the same command, and undone from wherever it stopped. The
journal tells which pass is open; each step finds out by itself how far it came.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.places.opening import open_place
from holdfast.adapters.plan_file import decode_plan, encode_plan, plan_id
from holdfast.adapters.records.opening import open_records
from holdfast.adapters.requirements import what_changed
from holdfast.adapters.steps.carrying import carry_out
from holdfast.core.plans.journal import (
    FOLDER,
    Begin,
    Journalled,
    Pass,
    begin_name,
    done_name,
    end_name,
    intent_name,
    open_operation,
    plan_name,
    read_begin,
    read_names,
    write_begin,
)
from holdfast.core.plans.mending import Ends
from holdfast.core.plans.plan import Plan
from holdfast.core.plans.ports import Direction
from holdfast.core.running.lease import Machine
from holdfast.core.running.ports import Records
from holdfast.errors import RefusedError, StalePlanError, UsageError
from holdfast.flows.lease import Lease, acquire, newest_but_of
from holdfast.flows.records.last_batches import last_batches


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What a pass came to."""

    operation: str
    plan: Plan
    direction: Direction
    number: int
    """Of the pass."""
    steps: tuple[int, ...]
    """Steps that this process carried out, from 1, in its order."""
    continued: bool
    """Whether an earlier process had begun the pass."""


Told = Callable[[int, Direction], None]
"""Called before each step with its number."""


def apply_plan(
    plan: Plan, *, reason: str = "", told: Told = lambda step, direction: None
) -> Carried:
    """Carry out a plan, or go on with it where it was killed.

    Raises StalePlanError before the first change where something that it looked at has changed,
    and where it was carried out already; LeaseHeldError where the checkpoint is held.
    """
    operation = plan_id(plan)
    with _held(plan.target, operation) as (records, lease):
        known = _known(records, operation)
        last = known.last if known else None
        if known is None or last is None:
            # Killed between the lease and its first change, it took epochs and changed nothing.
            _require(plan, newest_but_of(records, lease.epoch - 1, operation))
            records.create(plan_name(operation), encode_plan(plan))
            return _pass(records, lease, plan, "do", 1, reason, told)
        direction = _direction(records, operation, last)
        if not last.ended:
            if direction == "undo":
                raise _open(operation, "is being undone", f"holdfast undo {operation}")
            return _pass(records, lease, plan, "do", last.number, reason, told, last)
        if direction == "do":
            raise StalePlanError(
                f"this plan was carried out already, as operation {operation}",
                subject=plan.target,
                next_action=f"holdfast undo {operation} goes back; "
                "holdfast plan … makes a new plan from what is there now",
            )
        return _pass(records, lease, plan, "do", last.number + 1, reason, told)


def undo_operation(
    checkpoint: str,
    operation: str,
    *,
    reason: str = "",
    again: bool = False,
    told: Told = lambda step, direction: None,
) -> Carried:
    """Undo an operation, whole or half done; with `again`, carry out one that was undone.

    One that is undone already stays so: whoever was killed after the last step may ask once more.
    """
    with _held(checkpoint, operation) as (records, lease):
        known = _known(records, operation)
        if known is None or not known.passes:
            raise UsageError(
                f"no operation {operation} is in the journal of this checkpoint",
                subject=checkpoint,
                next_action=f"holdfast history {checkpoint} lists them",
            )
        plan = _plan(records, operation)
        last = known.passes[-1]
        direction = _direction(records, operation, last)
        if not last.ended and direction == "undo":
            return _pass(records, lease, plan, "undo", last.number, reason, told, last)
        if last.ended and direction == "undo" and not again:
            return Carried(
                operation=operation,
                plan=plan,
                direction="undo",
                number=last.number,
                steps=(),
                continued=True,
            )
        if last.ended:
            _refuse_later(records, known)
            _refuse_used(plan, direction)
        next_direction: Direction = "undo" if direction == "do" else "do"
        return _pass(records, lease, plan, next_direction, last.number + 1, reason, told)


@contextmanager
def _held(checkpoint: str, operation: str) -> Iterator[tuple[Records, Lease]]:
    records = open_records(checkpoint)
    machine: Machine = ThisMachine()
    with acquire(
        records, machine=machine, monotonic=time.monotonic, sleep=time.sleep, purpose=operation
    ) as lease:
        yield records, lease


def _known(records: Records, operation: str) -> Journalled | None:
    """The operation in the journal; raises where another one is open."""
    names = records.names(FOLDER)
    other = open_operation(names)
    if other is not None and other.operation != operation:
        raise _open(
            other.operation,
            "stopped half-way",
            f"holdfast undo {other.operation} goes back, "
            "or `holdfast apply` of its plan goes on with it",
        )
    return read_names(names).get(operation)


def _open(operation: str, how: str, action: str) -> RefusedError:
    return RefusedError(f"operation {operation} {how}", next_action=action)


def _plan(records: Records, operation: str) -> Plan:
    name = plan_name(operation)
    data = records.read(name)
    if data is None:
        raise RefusedError(
            "the plan of this operation is gone from the journal",
            subject=f"{records.location}/{name}",
            next_action="put plan.json there under this name; it is the same file",
        )
    return decode_plan(data, f"{records.location}/{name}")


def _direction(records: Records, operation: str, last: Pass) -> Direction:
    name = begin_name(operation, last.number)
    return read_begin(records.read(name) or b"").direction


def _refuse_later(records: Records, known: Journalled) -> None:
    """An operation that others followed is not undone beneath them."""
    own = read_begin(records.read(begin_name(known.operation, known.passes[-1].number)) or b"")
    for other in read_names(records.names(FOLDER)).values():
        if other.operation == known.operation or other.last is None:
            continue
        name = begin_name(other.operation, other.last.number)
        later = read_begin(records.read(name) or b"")
        if later.epoch > own.epoch and later.direction == "do":
            raise StalePlanError(
                f"operation {other.operation} was carried out after it",
                subject=records.location,
                next_action=f"holdfast undo {other.operation} first",
            )


def _refuse_used(plan: Plan, direction: Direction) -> None:
    """What an operation left is there to undo until a query has finished a batch on it."""
    if direction == "undo":
        return
    found = last_batches(plan.target)
    logs = Ends(planned=found.planned, committed=found.committed)
    if logs.done_through != plan.leaves.last_batch:
        now = "none" if logs.done_through is None else f"{logs.done_through:,}"
        left = "none" if plan.leaves.last_batch is None else f"{plan.leaves.last_batch:,}"
        raise StalePlanError(
            f"a query has run since: the newest finished batch is {now}, and the operation left "
            f"{left}",
            subject=plan.target,
            next_action="holdfast plan replay goes back from where it is now",
        )


def _require(plan: Plan, epoch: int) -> None:
    for requirement in plan.requirements:
        changed = what_changed(requirement, open_place, epoch)
        if changed is not None:
            raise StalePlanError(
                f"the plan is stale: {changed}",
                subject=plan.target,
                next_action="make it again: holdfast plan …; nothing was changed",
            )


def _pass(
    records: Records,
    lease: Lease,
    plan: Plan,
    direction: Direction,
    number: int,
    reason: str,
    told: Told,
    known: Pass | None = None,
) -> Carried:
    operation = plan_id(plan)
    if known is None:
        begin = Begin(
            direction=direction,
            user=lease.holder.user,
            host=lease.holder.host,
            at_ms=now_ms(),
            reason=reason,
            epoch=lease.epoch,
            operation=plan.operation,
            last_batch=plan.leaves.last_batch,
        )
        records.create(begin_name(operation, number), write_begin(begin))
    done = known.done if known else frozenset()
    order = range(1, len(plan.steps) + 1)
    carried = []
    for step in order if direction == "do" else reversed(order):
        if step in done:
            continue
        lease.check()
        told(step, direction)
        records.create(intent_name(operation, number, step), b"")
        carry_out(plan.steps[step - 1], direction, operation, open_place)
        records.create(done_name(operation, number, step), b"")
        carried.append(step)
    records.create(end_name(operation, number), b"")
    return Carried(
        operation=operation,
        plan=plan,
        direction=direction,
        number=number,
        steps=tuple(carried),
        continued=known is not None,
    )
