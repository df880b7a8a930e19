"""Pause writers of the Kafka sink, overtake them, wake them: nothing of theirs may be seen.

python -m scripts.soak.kafka_zombies --trials 200
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from scripts.servers.kafka import broker
from scripts.soak.kafka_trials import SERVERS, PausedSink, trial

from holdfast.testing.writers import Writers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, where = random.Random(given.seed), Counter[str]()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-zombies-") as folder,
        broker(partitions=2) as address,
    ):
        os.environ[SERVERS] = address
        candidate = PausedSink()
        with Writers(candidate, Path(folder) / "logs") as writers:
            for number in range(given.trials):
                place = trial(writers, candidate, Path(folder) / str(number), chance)
                where[" ".join(place.split()[:2])] += 1
    print(f"{given.trials} writers overtaken, none did harm; {time.monotonic() - began:.0f} s")
    for place, count in sorted(where.items()):
        print(f"  {count:4d}  paused {place}")


if __name__ == "__main__":
    main()
