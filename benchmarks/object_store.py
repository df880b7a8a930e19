"""An object store (moto on loopback), with every request counted in the server's own log."""

import json
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import inputs
import measure
from measure import HOLDFAST, Row

sys.path.insert(0, str(inputs.ROOT))
from scripts.servers.moto import S3Server, s3_server

SHOW_REQUESTS = 25
FLEET_REQUESTS_EACH = 8
FLEET_MEMBERS = 1_000
PAGE_KEYS = 1_000
BUCKET = "lake"


def rows(repeat: int) -> Iterator[Row]:
    """Measure one checkpoint at Spark's default retention, then a thousand."""
    with s3_server() as server:
        server.client().create_bucket(Bucket=BUCKET)
        yield _show(server)
        yield from _fleet(server)


def _show(server: S3Server) -> Row:
    checkpoint = inputs.checkpoint_of(inputs.SMALL)
    _put(server, "one", inputs.SMALL, str(uuid.uuid5(uuid.NAMESPACE_URL, "one")))
    server.forget()
    command = [HOLDFAST, "show", f"s3://{BUCKET}/one", "--output", "json"]
    shown = measure.timed(command, 1, server.environment())
    requests = server.requests()
    on_disk = measure.timed([HOLDFAST, "show", str(checkpoint), "--output", "json"], 1)
    mine, theirs = json.loads(shown.output)["result"], json.loads(on_disk.output)["result"]
    for same in ("offsets", "commits", "latest", "state", "restart", "files"):
        assert mine[same] == theirs[same], same
    pages = -(-mine["files"] // PAGE_KEYS)
    return Row(
        what="show on S3 at default retention",
        measured=len(requests) - pages,
        bound=SHOW_REQUESTS,
        unit="requests",
        note=f"and {pages} pages of the listing; {shown.median_s:.2f} s",
    )


def _fleet(server: S3Server) -> Iterator[Row]:
    with ThreadPoolExecutor(8) as pool:
        names = [f"fleet/team-{n % 10}/job-{n // 10 % 10}/{n}" for n in range(FLEET_MEMBERS)]
        ids = [str(uuid.uuid5(uuid.NAMESPACE_URL, name)) for name in names]
        shapes = [inputs.FLEET_MEMBER] * len(names)
        list(pool.map(_put, [server] * len(names), names, shapes, ids))
    server.forget()
    command = [HOLDFAST, "fleet", f"s3://{BUCKET}/fleet", "--output", "json"]
    found = measure.timed(command, 1, server.environment())
    requests = server.requests()
    members = json.loads(found.output)["result"]["checkpoints"]
    assert {member["query_id"] for member in members} == set(ids)
    yield Row(
        what="fleet over 1,000 checkpoints on S3",
        measured=len(requests) / FLEET_MEMBERS,
        bound=FLEET_REQUESTS_EACH,
        unit="requests each",
        note=f"{len(requests):,} in all, {found.median_s:.1f} s; moto is one process",
    )
    alone = _one_by_one(server, names)
    yield Row(
        what="fleet against listing and reading one by one",
        measured=alone / found.median_s,
        bound=1,
        unit="times faster",
        at_least=True,
        note=f"one by one {alone:.1f} s for {2 * len(names):,} requests, to the same one process",
    )


def _one_by_one(server: S3Server, names: list[str]) -> float:
    """The loop that a user would write with boto3: list each checkpoint, read its id."""
    script = (
        "import json, sys\n"
        "import boto3\n"
        "client = boto3.client('s3')\n"
        "for name in json.load(sys.stdin):\n"
        f"    client.list_objects_v2(Bucket={BUCKET!r}, Prefix=name + '/')\n"
        f"    client.get_object(Bucket={BUCKET!r}, Key=name + '/metadata')['Body'].read()\n"
    )
    command = [sys.executable, "-c", script]
    return measure.timed(command, 1, server.environment(), json.dumps(names)).median_s


def _put(server: S3Server, prefix: str, shape: inputs.Shape, query_id: str) -> None:
    client = server.client()
    for name, content in inputs.files_of(shape, query_id):
        client.put_object(Bucket=BUCKET, Key=f"{prefix}/{name}", Body=content)
