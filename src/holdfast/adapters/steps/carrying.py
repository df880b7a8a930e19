"""From a step to what carries it out; the only list of kinds outside the core."""

import importlib
from typing import assert_never

from holdfast.adapters.steps.files import carry_files
from holdfast.core.plans.ports import Direction, OpenPlace
from holdfast.core.plans.step import Copy, Create, PutAside, RestoreTable, Step


def carry_out(step: Step, direction: Direction, operation: str, open_place: OpenPlace) -> None:
    """Do a step or undo it, from wherever a kill left it; returns when that was read back.

    Raises StalePlanError where the world is neither before nor after the step.
    """
    match step:
        case PutAside() | Create() | Copy():
            carry_files(step, direction, operation, open_place)
        case RestoreTable():
            # Loaded by name: it needs delta-rs, which plans of other sinks do without.
            delta = importlib.import_module("holdfast.adapters.steps.delta")
            delta.carry_delta(step, direction, operation)
        case _:
            assert_never(step)
