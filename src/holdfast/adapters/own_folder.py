"""A new folder of our own in the cache, for commands that make things nobody asked for by name."""

from collections.abc import Mapping
from pathlib import Path

from holdfast.errors import UnreachableError

_CACHE_VARIABLES = ("HOLDFAST_CACHE", "XDG_CACHE_HOME")
_FOLDERS_MAX = 10_000


def own_folder(command: str, environ: Mapping[str, str]) -> Path:
    """The next free number. No time in the name: a checkpoint's place is not derived from one."""
    base = Path("~/.cache")
    try:
        base = cache_folder(environ) / command
        base.mkdir(parents=True, exist_ok=True)
        for number in range(1, _FOLDERS_MAX):
            folder = base / str(number)
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
        reason = f"it holds {_FOLDERS_MAX - 1} already"
    except (OSError, RuntimeError) as error:  # Path.home() knows of no home
        reason = str(getattr(error, "strerror", None) or error)
    raise UnreachableError(
        f"no folder for it can be made: {reason}",
        subject=str(base),
        next_action="name one with --folder",
    )


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where we keep what can be made again; RuntimeError where there is no home."""
    own, general = (environ.get(name, "") for name in _CACHE_VARIABLES)
    if own:
        return Path(own).absolute()
    return (Path(general) if general.startswith("/") else Path.home() / ".cache") / "holdfast"
