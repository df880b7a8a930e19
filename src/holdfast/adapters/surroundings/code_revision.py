"""Which revision of the user's code runs, as git names it."""

import os
import subprocess

_VARIABLE = "HOLDFAST_CODE_REVISION"
_TIMEOUT_S = 5.0


def code_revision(folder: str) -> str | None:
    """The commit of a folder, with `+changes` where it was edited since; None where unknown.

    An image without git says it by the variable HOLDFAST_CODE_REVISION.
    """
    given = os.environ.get(_VARIABLE, "").strip()
    if given:
        return given
    commit = _git(folder, "rev-parse", "--short=12", "HEAD")
    if not commit:
        return None
    return f"{commit}+changes" if _git(folder, "status", "--porcelain", "--", ".") else commit


def _git(folder: str, *words: str) -> str:
    command = ["git", "-C", folder, *words]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""  # no git, no repository or no answer: the revision is not known
    return done.stdout.strip() if done.returncode == 0 else ""
