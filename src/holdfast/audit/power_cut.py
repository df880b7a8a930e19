"""What a power cut does beyond a kill: files that nobody synced may be lost or torn."""

import os
from pathlib import Path

from holdfast.core.crash.operation import Operation

VARIANTS = ("empty", "half", "gone")
"""What is left of such a file: its name without bytes (ext4, after a rename that was not synced),
half of it, or nothing."""


class Unsynced:
    """Which files have bytes that only the kernel's memory holds, in the order of their writing."""

    def __init__(self) -> None:
        """None yet."""
        self._paths: dict[str, None] = {}

    def note(self, operation: Operation) -> None:
        """Take in an operation that is about to happen."""
        self._paths.pop(operation.path, None)
        match operation.call:
            case "create" | "truncate":
                self._paths[operation.path] = None
            case "rename":
                if self._paths.pop(operation.origin or "", self) is None:
                    self._paths[operation.path] = None

    def tear(self, variant: str) -> str:
        """Damage the newest of them; says what was done, '' where every file was synced."""
        for path in reversed(self._paths):
            file = Path(path)
            if not file.is_file() or file.stat().st_size == 0:
                continue
            if variant == "gone":
                file.unlink()
            else:
                os.truncate(file, 0 if variant == "empty" else file.stat().st_size // 2)
            return f"{file.name} {'is gone' if variant == 'gone' else f'is {variant}'}"
        return ""
