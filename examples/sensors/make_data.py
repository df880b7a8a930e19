"""Make sensor readings, as files of JSON lines or into a Kafka topic.

    python make_data.py [--files N] [--every SECONDS]
    python make_data.py --kafka localhost:9092 --topic sensors

The same seed gives the same bytes. Some lines are malformed, some readings come late, some come
twice. A file appears whole: it is written beside the folder and renamed into it. A file that is
there already is left alone; what is sent to Kafka is sent again each time.
"""

import argparse
import importlib
import json
import os
import random
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 1, 1, tzinfo=UTC)
MALFORMED = (
    b'{"sensor": "s-1", "at": "2026-01-',
    b"",
    b"not json",
    b"[1, 2]",
    b'{"sensor": "s-2"}',
    b'{"sensor": "s-\xff", "at": "2026-01-01T00:00:00Z", "sequence": 1, "reading": 1.5}',
)


def lines(seed: int, files: int, lines_per_file: int, sensors: int) -> list[list[bytes]]:
    """The lines of every file."""
    chance = random.Random(seed)
    sequence = dict.fromkeys((f"s-{n}" for n in range(sensors)), 0)
    result: list[list[bytes]] = []
    sent: list[bytes] = []
    for file in range(files):
        current: list[bytes] = []
        for line in range(lines_per_file):
            kind = chance.random()
            if kind < 0.05:
                current.append(chance.choice(MALFORMED))
            elif kind < 0.10 and sent:
                current.append(chance.choice(sent))
            else:
                late = timedelta(minutes=chance.randint(1, 90)) if kind < 0.20 else timedelta()
                at = START + timedelta(seconds=file * lines_per_file + line) - late
                current.append(_reading(chance, sequence, at))
                sent.append(current[-1])
        result.append(current)
    return result


def write(folder: Path, contents: list[list[bytes]], every: float = 0) -> None:
    """One file after the other, each at once."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(contents):
        target = folder / f"readings-{number:05d}.jsonl"
        if target.exists():
            continue
        waiting = folder.parent / f".{target.name}"
        waiting.write_bytes(b"".join(line + b"\n" for line in content))
        os.replace(waiting, target)
        time.sleep(every)


def send(servers: str, topic: str, contents: list[list[bytes]], every: float = 0) -> None:
    """The same lines into a topic; the library for it is only needed here."""
    sender = importlib.import_module("to_kafka").Sender(servers, topic)
    for content in contents:
        sender.send(content)
        time.sleep(every)


def _reading(chance: random.Random, sequence: dict[str, int], at: datetime) -> bytes:
    sensor = chance.choice(list(sequence))
    sequence[sensor] += 1
    reading = {
        "sensor": sensor,
        "at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "sequence": sequence[sensor],
        "reading": round(chance.gauss(20.0, 5.0), 3),
    }
    return json.dumps(reading).encode()


def main() -> None:
    """Read the arguments, and write or send."""
    parser = argparse.ArgumentParser(description="Make sensor readings.")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "data" / "incoming")
    parser.add_argument("--kafka", metavar="SERVERS", help="send to these brokers instead")
    parser.add_argument("--topic", default="sensors")
    parser.add_argument("--files", type=int, default=6)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--sensors", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=0, help="seconds between two files")
    given = parser.parse_args()
    contents = lines(given.seed, given.files, given.lines, given.sensors)
    if given.kafka is not None:
        send(given.kafka, given.topic, contents, given.every)
        print(f"{given.files * given.lines} lines in topic {given.topic}")
    else:
        write(given.folder, contents, given.every)
        print(f"{given.files} files in {given.folder}")


if __name__ == "__main__":
    main()
