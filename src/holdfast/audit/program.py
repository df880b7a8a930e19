"""Any program that starts a query, as a workload: run, killed, and started again until it is done.

`{work}` in the command, the checkpoint and the output stands for a folder that is new for every
trial, `{run}` for a name that is. Without them all trials use the same places, one after the
other, and what one leaves there is moved aside before the next. What lies on a server cannot be
moved: there a command of the user's empties it.
"""

import importlib.util
import os
import shlex
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from holdfast.adapters.outputs.opening import open_output, root_of
from holdfast.adapters.sinks.step_files import FOLDER
from holdfast.adapters.surroundings.java_archive import quick_java_options
from holdfast.audit.reset import refuse_rows, reset
from holdfast.audit.room import Room, Workload
from holdfast.audit.through import filled, open_proxies, told
from holdfast.core.crash.place import BESIDE, Area, Layout
from holdfast.core.crash.wire.address import ServerAddress
from holdfast.core.secret_text import without_password
from holdfast.errors import RefusedError, UsageError

_FOREACH_BATCH = "holdfast.adapters.foreach_batch.sitecustomize"
"""Loaded by the program's Python, never imported here."""
WORK, RUN = "{work}", "{run}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What a person says about a program."""

    command: str
    checkpoint: str
    read: str
    key: tuple[str, ...] = ()
    whole_batches: bool = False
    settle_s: float | None = None
    reset: str | None = None
    """A command that empties an output which all trials share."""
    through: tuple[ServerAddress, ...] = ()
    """Servers to which it talks by `{proxy}`, each of another protocol."""


def program_workload(program: Program, *, environ: Mapping[str, str]) -> Workload:
    """The workload of a program.

    Raises RefusedError where its places hold anything yet: they might be those of production.
    """
    arguments = _arguments(program.command)
    moves = WORK not in program.checkpoint
    # Said now, not after a first run: a spec that cannot be right, a library that is not there.
    shared = _is_shared(program.read)
    if shared and program.reset is None:
        raise _without_reset(program.read)
    emptying = [] if program.reset is None else _arguments(program.reset)
    audit_name = uuid.uuid4().hex[:6]  # names on a server outlive an audit
    if moves:
        _refuse_what_is_there(program)
    surroundings = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": quick_java_options(sys.executable, environ),
        **environ,
    }

    def furnish(place: Path) -> Room:
        name = f"r{audit_name}_{place.name.rpartition('-')[2]}"
        checkpoint = Path(_filled(program.checkpoint, place, name)).absolute()
        read = _filled(program.read, place, name)
        root = root_of(read)
        if moves:
            _move_aside([checkpoint, *([] if root is None else [root])], place / "before")
        (steps := place / "steps").mkdir()
        roots: dict[Area, str] = {"checkpoint": str(checkpoint), "steps": str(steps)}
        if root is not None:
            roots["output"] = str(root)
        around = {**surroundings, "HOLDFAST_WORK": str(place), "HOLDFAST_RUN": name}
        output = open_output(read, place)
        if emptying:
            reset([_filled(argument, place, name) for argument in emptying], place, around)
        if root is None:
            refuse_rows(output, read, is_reset=bool(emptying))
        proxies = open_proxies(program.through)
        return Room(
            folder=place,
            arguments=tuple(
                filled(_filled(argument, place, name), proxies) for argument in arguments
            ),
            working_folder=Path.cwd(),
            environ={**around, **told(proxies), **_told_steps(around, steps)},
            checkpoint=checkpoint,
            layout=Layout(roots=roots),
            output=output,
            settle_s=program.settle_s,
            proxies=proxies,
        )

    return Workload(
        title=without_password(program.command),
        furnish=furnish,
        whole_batches=program.whole_batches,
        key=program.key,
        parallel=not (moves or shared),
    )


def _told_steps(environ: Mapping[str, str], steps: Path) -> dict[str, str]:
    """What makes a program in Python tell of its foreachBatch function."""
    spec = importlib.util.find_spec(_FOREACH_BATCH)
    assert spec is not None and spec.origin is not None
    paths = [str(Path(spec.origin).parent), environ.get("PYTHONPATH", "")]
    return {FOLDER: str(steps), "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _is_shared(read: str) -> bool:
    """Whether all trials write to one place that cannot be moved aside."""
    example = _filled(read, Path("w"), "r")
    output = open_output(example)
    own = WORK in read or RUN in read or getattr(output, "takes_work", False)
    return root_of(example) is None and not own


def _without_reset(read: str) -> UsageError:
    return UsageError(
        "all trials would write to the same output, one after the other, and nobody empties it",
        subject=without_password(read),
        next_action=f"use {RUN} in its name and in the command, or name a command that "
        "empties it with --reset",
    )


def _arguments(command: str) -> list[str]:
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command cannot be read: {error}", subject=command) from error
    if not arguments:
        raise UsageError("the command is empty", next_action='such as --command "python job.py"')
    return arguments


def _filled(text: str, place: Path, name: str) -> str:
    return text.replace(WORK, str(place)).replace(RUN, name)


def _refuse_what_is_there(program: Program) -> None:
    places = [Path(program.checkpoint).absolute(), root_of(program.read)]
    for place in places:
        if place is not None and place.exists() and (place.is_file() or any(place.iterdir())):
            raise RefusedError(
                "an audit kills the job and begins anew many times, so it never runs where "
                "something is already",
                subject=str(place),
                next_action=f"name places with {WORK}, or others that do not exist yet",
            )


def _move_aside(paths: list[Path], aside: Path) -> None:
    for path in paths:
        for found in (path, *(Path(f"{path}{suffix}") for suffix in BESIDE)):
            if found.exists():
                aside.mkdir(exist_ok=True)
                found.rename(aside / found.name)
