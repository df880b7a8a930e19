"""A fuzz campaign over every parser and over whole checkpoints: `make fuzz`.

    python scripts/fuzz/run.py [--seconds N] [--seed S] [--workers W]

Fails on an exception that a parser may not raise, on an input that takes more than a second for
each KiB, and on damage that goes by without a word; each comes with its seed and a file.
"""

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mutations import mutate
from parsers import Target, all_targets
from whole_checkpoints import Damage, Patients

SECONDS = 600
WORKERS = 2
INPUTS_A_ROUND = 100
CHECKPOINTS_A_ROUND = 30
SLOW_SECONDS_PER_KIB = 1.0
FAILURES_KEPT_MAX = 20
WHOLE = "whole checkpoint (show)"


@dataclass
class Tally:
    """What one worker, or all of them, counted."""

    inputs: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    crashes: Counter[str] = field(default_factory=Counter)
    slow: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)
    reproducers: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        for mine, theirs in (
            (self.inputs, other.inputs),
            (self.accepted, other.accepted),
            (self.crashes, other.crashes),
            (self.slow, other.slow),
            (self.silent, other.silent),
        ):
            mine.update(theirs)
        self.reproducers += other.reproducers

    @property
    def failures(self) -> int:
        return self.crashes.total() + self.slow.total() + self.silent.total()


class Campaign:
    """One worker: rounds over every target until its time is up."""

    def __init__(self, seed: int, seconds: float, folder: Path) -> None:
        self._seed = seed
        self._seconds = seconds
        self._folder = folder
        self._chance = random.Random(seed)
        self._targets = all_targets(self._chance)
        self._tally = Tally()

    def run(self) -> Tally:
        end = time.monotonic() + self._seconds
        with tempfile.TemporaryDirectory() as work:
            damages = Patients(Path(work), self._chance).damages()
            while time.monotonic() < end:
                for target in self._targets:
                    self._chew(target)
                for _ in range(CHECKPOINTS_A_ROUND):
                    self._whole(damages)
        return self._tally

    def _chew(self, target: Target) -> None:
        tally, name = self._tally, target.name
        for _ in range(INPUTS_A_ROUND):
            other = self._chance.choice(target.corpus)
            damaged = mutate(self._chance.choice(target.corpus), other, self._chance)
            tally.inputs[name] += 1
            started = time.process_time()
            try:
                target.parse(damaged, other)
                tally.accepted[name] += 1
            except target.allowed:
                pass
            except Exception:
                tally.crashes[name] += 1
                self._keep(name, damaged, traceback.format_exc())
            self._time(name, damaged, started)

    def _whole(self, damages: Iterator[Damage]) -> None:
        tally = self._tally
        tally.inputs[WHOLE] += 1
        started = time.process_time()
        damage = next(damages)
        if damage.crash is not None:
            tally.crashes[WHOLE] += 1
            self._keep(WHOLE, damage.data, f"{damage.label}\n{damage.crash}")
        if damage.is_silent:
            tally.silent[WHOLE] += 1
            self._keep(WHOLE, damage.data, f"{damage.label}\nsilent")
        self._time(WHOLE, damage.data, started)

    def _time(self, name: str, damaged: bytes, started: float) -> None:
        taken = time.process_time() - started
        if taken > SLOW_SECONDS_PER_KIB * max(1, len(damaged) / 1024):
            self._tally.slow[name] += 1
            self._keep(name, damaged, f"slow: {taken:.1f} s for {len(damaged)} bytes")

    def _keep(self, name: str, damaged: bytes, why: str) -> None:
        if len(self._tally.reproducers) >= FAILURES_KEPT_MAX:
            return
        number = len(self._tally.reproducers)
        stem = f"{''.join(c if c.isalnum() else '_' for c in name)}-{self._seed}-{number}"
        path = self._folder / f"{stem}.input"
        path.write_bytes(damaged)
        path.with_suffix(".txt").write_text(f"{name}, seed {self._seed}\n{why}\n", encoding="utf-8")
        self._tally.reproducers.append(str(path))


def work(seed: int, seconds: float, folder: str) -> Tally:
    return Campaign(seed, seconds, Path(folder)).run()


def print_table(tally: Tally) -> None:
    print(f"{'parser':<26}{'inputs':>12}{'accepted':>12}{'crashes':>9}{'slow':>6}{'silent':>8}")
    for name in sorted(tally.inputs):
        print(
            f"{name:<26}{tally.inputs[name]:>12,}{tally.accepted[name]:>12,}"
            f"{tally.crashes[name]:>9}{tally.slow[name]:>6}{tally.silent[name]:>8}"
        )
    print(f"{'all':<26}{tally.inputs.total():>12,}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--workers", type=int, default=WORKERS)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**9)
    folder = tempfile.mkdtemp(prefix="holdfast-fuzz-")
    print(f"seed {seed}, {arguments.workers} workers, {arguments.seconds:.0f} s", flush=True)
    jobs = [(seed + index, arguments.seconds, folder) for index in range(arguments.workers)]
    tally = Tally()
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for one in pool.starmap(work, jobs):
            tally.add(one)
    print_table(tally)
    for path in tally.reproducers:
        print(f"reproducer: {path}")
    if not tally.failures:
        Path(folder).rmdir()
    print(f"{tally.failures} failures; seed {seed}")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
