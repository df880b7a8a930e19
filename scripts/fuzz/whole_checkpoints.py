"""Damage golden checkpoints and let `show` look at them: named, or not called verified."""

import contextlib
import io
import json
import random
import shutil
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutations import mutate
from parsers import GOLDEN

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.formats.log_name import checksum_target
from holdfast.core.parts import part_of
from holdfast.errors import HoldfastError
from holdfast.flows.diff import diff
from holdfast.flows.show import show
from holdfast.surfaces.render.show_json import show_result
from holdfast.surfaces.render.show_text import ShowText

_PRINTED_ONE_IN = 20


@dataclass(frozen=True, kw_only=True)
class Damage:
    """A file damaged, and what was wrong with our answer."""

    label: str
    data: bytes
    crash: str | None
    is_silent: bool


class Patients:
    """Copies of golden checkpoints, damaged and healed in turn."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder = folder
        self._chance = chance
        self._sound = [done.parent / "checkpoint" for done in GOLDEN.glob("*/*/expected.json")]
        self._sound.sort()

    def damages(self) -> Iterator[Damage]:
        """Damage without end."""
        while True:
            sound = self._chance.choice(self._sound)
            copy = self._folder / "checkpoint"
            shutil.rmtree(copy, ignore_errors=True)
            try:
                shutil.copytree(sound, copy)
            except OSError:
                continue  # golden checkpoints are being made anew beside us
            names = [str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()]
            for _ in range(20):
                yield self._damage(sound, copy, sorted(names))

    def _damage(self, sound: Path, copy: Path, names: list[str]) -> Damage:
        name, other = self._chance.choice(names), self._chance.choice(names)
        data = (copy / name).read_bytes()
        damaged = mutate(data, (copy / other).read_bytes(), self._chance)
        (copy / name).write_bytes(damaged)
        label = f"{sound.parent.parent.name}/{sound.parent.name}/{name}"
        crash, is_unsaid = None, False
        try:
            is_unsaid = self._look(sound, copy, name)
        except Exception:
            crash = traceback.format_exc()
        (copy / name).write_bytes(data)
        return Damage(label=label, data=damaged, crash=crash, is_silent=is_unsaid)

    def _look(self, sound: Path, copy: Path, name: str) -> bool:
        """Look in every way there is; say whether the damage went by."""
        try:
            shown = show(str(copy), verify=True, state=True)
        except HoldfastError:
            return False
        json.loads(json.dumps(show_result(shown), allow_nan=False))
        if self._chance.randrange(_PRINTED_ONE_IN) == 0:
            with contextlib.redirect_stdout(io.StringIO()):
                ShowText(typed="x", now_ms=0, conf=True, files=True).print(shown)
            with contextlib.suppress(HoldfastError):
                diff(str(sound), str(copy))
            batch = shown.checkpoint.offsets.last
            if batch is not None:
                show_result(show(str(copy), batch=batch))
        return is_silent(shown.checkpoint, name)


def is_silent(checkpoint: Checkpoint, name: str) -> bool:
    """Whether damage went by: neither named, nor in a part that is called less than verified."""
    subjects = {name}
    directory, slash, leaf = name.rpartition("/")
    while (leaf := checksum_target(leaf) or "") != "":
        subjects.add(directory + slash + leaf)
    if {warning.path for warning in checkpoint.warnings} & subjects:
        return False
    check = checkpoint.checks.get(part_of(name))
    return check is not None and check.status == "verified"
