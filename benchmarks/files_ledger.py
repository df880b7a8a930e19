"""Reading a table of the files sink by its ledger, with and without pages: seconds and requests.

    python benchmarks/files_ledger.py [--batches 10000] [--store]

The table is made by hand, an entry and a file of one byte for each batch, on a disk or, with
--store, in an S3 server on loopback, whose requests are counted.
"""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.servers.moto import S3Server, s3_server

from holdfast.adapters.file_tables.ledger import FileLedger, claim
from holdfast.adapters.file_tables.opening import open_place
from holdfast.core.running.file_ledger import DataFile, Entry, Owner, encode_entry, name_of
from holdfast.files import published

QUERY = "5f4f4c9a-1f0b-4b8e-9c0e-7a6f0f9f3a11"
AT_ONCE = 16


def chain(batches: int) -> list[Entry]:
    """An entry for each batch, with one file."""
    found: list[Entry] = []
    for number in range(1, batches + 1):
        found.append(
            Entry(
                number=number,
                token=f"{number:032x}",
                epoch=1,
                batch=number - 1,
                last_batch=number - 1,
                last_number=number,
                folder=f"batch={number - 1}",
                staged=f"{QUERY}/1-{number - 1}-{number:032x}",
                files=(DataFile(path="part.parquet", size_bytes=1, rows=1, digest=f"{0:064x}"),),
                rows=1,
                offsets={"0": {"logOffset": number}},
                written_at_ms=1_790_000_000_000 + number,
                previous=found[-1].digest if found else "",
            )
        )
    return found


def make_table(table: str, batches: int, server: S3Server | None) -> FileLedger:
    """The table and its ledger, without pages."""
    place, addresses = open_place(table, None)
    owner = Owner(query=QUERY, format="parquet", partition_by=(), batch_column="batch")
    claim(place.records, owner)
    client = None if server is None else server.client()

    def put(address: str, data: bytes) -> None:
        if client is None:
            path = Path(address)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        else:
            bucket, _, key = address.removeprefix("s3://").partition("/")
            client.put_object(Bucket=bucket, Key=key, Body=data)

    def both(entry: Entry) -> None:
        put(f"{addresses.ledger}/log/{QUERY}/{name_of(entry.number)}", encode_entry(entry))
        put(f"{addresses.table}/{entry.folder}/part.parquet", b"x")

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(both, chain(batches)))
    return FileLedger(place.records, QUERY)


def look(table: str, batches: int, server: S3Server | None, what: str) -> None:
    """Read it once and say what that took."""
    if server is not None:
        server.forget()
    began = time.monotonic()
    assert published(table).batches == batches
    seconds = time.monotonic() - began
    asked = "" if server is None else f", {len(server.requests()):,} requests"
    print(f"{batches:,} batches, {what}: {seconds:.2f} s{asked}", flush=True)


def main() -> None:
    """Make a table and read it, before and after its pages are made."""
    parser = argparse.ArgumentParser(description="Read a table by its ledger.")
    parser.add_argument("--batches", type=int, default=10_000)
    parser.add_argument("--store", action="store_true", help="in S3 on loopback, not on a disk")
    given = parser.parse_args()
    with ExitStack() as stack:
        server = None
        table = str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "orders")
        if given.store:
            server = stack.enter_context(s3_server())
            server.client().create_bucket(Bucket="lake")
            stack.enter_context(patch.dict("os.environ", server.environment()))
            table = "s3://lake/data/orders"
        ledger = make_table(table, given.batches, server)
        look(table, given.batches, server, "without pages")
        if hasattr(ledger, "compact"):  # so that it runs on versions without pages too
            while ledger.compact(given.batches, 0):
                pass
            look(table, given.batches, server, "with pages")


if __name__ == "__main__":
    main()
