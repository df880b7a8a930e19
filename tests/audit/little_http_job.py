"""A program that goes about its checkpoint as Spark does, and posts its batches.

python little_http_job.py WORK append|once HOST:PORT

`append` posts every batch that has no commit; `once` gives each its number as a key, by which the
server knows it again.
"""

import http.client
import json
import sys
from pathlib import Path

from little_job import BATCHES, put


def write(batch: int, work: Path, mode: str, server: str) -> None:
    connection = http.client.HTTPConnection(server, timeout=30)
    headers = {"Idempotency-Key": str(batch)} if mode == "once" else {}
    rows = json.dumps([[batch, n] for n in range(3)])
    connection.request("POST", str(work), rows, headers)
    answer = connection.getresponse()
    assert answer.status == 201, answer.status
    connection.close()


def main(work: Path, mode: str, server: str) -> None:
    checkpoint = work / "ck"
    put(checkpoint / "metadata", json.dumps({"id": "4a1f0f3e-8f9a-4b4f-9f35-0d3c5ce8f4aa"}))
    for batch in range(BATCHES):
        if (checkpoint / "commits" / str(batch)).exists():
            continue
        plan = {"batchWatermarkMs": 0, "batchTimestampMs": batch, "conf": {}}
        source = {"logOffset": batch}
        put(checkpoint / "offsets" / str(batch), f"v1\n{json.dumps(plan)}\n{json.dumps(source)}")
        write(batch, work, mode, server)
        put(checkpoint / "commits" / str(batch), 'v1\n{"nextBatchWatermarkMs":0}')


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
