"""An environment that has every variable, and remembers which of them it made up."""

from collections.abc import Iterator, Mapping
from typing import Final

MADE_UP: Final = "holdfast-unset-"
"""What a made-up value begins with; a location that holds it is not one to be tried."""


class EveryVariable(Mapping[str, str]):
    """The environment, with a stand-in for each variable that is asked for and not set."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Take the environment as a value."""
        self._environ = environ
        self.unset: list[str] = []

    def __getitem__(self, name: str) -> str:
        if name in self._environ:
            return self._environ[name]
        if name not in self.unset:
            self.unset.append(name)
        return f"{MADE_UP}{name}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __len__(self) -> int:
        return len(self._environ)
