"""Outputs that all trials share, such as a table on a server: emptied before each, or refused."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.audit.room import Output
from holdfast.core.secret_text import without_password
from holdfast.errors import RefusedError, UnreachableError

_WITHIN_S = 300.0
_LINES_SHOWN = 5


def reset(arguments: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
    """Run the command that makes the output as new; raises where it does not end well."""
    log = folder / "reset.log"
    with ProcessGroup(
        arguments, folder=Path.cwd(), environ=environ, output=folder / "reset.out", talk=log
    ) as running:
        code = running.wait(_WITHIN_S)
    if code != 0:
        ended = f"did not end in {_WITHIN_S:.0f} s" if code is None else f"ended with code {code}"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LINES_SHOWN:]
        raise UnreachableError(
            without_password("\n".join((f"the command of --reset {ended}", *lines))),
            subject=without_password(shlex.join(arguments)),
            next_action="mend it: it runs before every trial",
        )


def refuse_rows(output: Output, read: str, *, is_reset: bool) -> None:
    """Raise where the output of a trial that begins holds rows: they might be production's."""
    rows = len(output.read().rows)
    if not rows:
        return
    if is_reset:
        message, action = "still holds rows after --reset", "let --reset remove every row"
    else:
        message, action = "holds rows already", "empty it with --reset, or name another one"
    raise RefusedError(
        f"the output {message} ({rows:,}), and every trial begins anew",
        subject=without_password(read),
        next_action=action,
    )
