"""Arrow batches into a table of PostgreSQL by one binary COPY, in the transaction of the caller.

The next batch is encoded while the server takes the one before. Loaded by name: it needs NumPy and
Arrow.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from psycopg import Connection

from holdfast.adapters.ahead import ahead
from holdfast.adapters.sinks.databases import postgres_hash
from holdfast.adapters.sinks.databases.port import Check
from holdfast.adapters.sinks.databases.postgres_copy import BEGIN, END, Piece, can_write, piece
from holdfast.errors import UnreachableError

LONG_BYTES_MAX = 64 * 1024 * 1024
"""Of values that the server has to hash once COPY is done; they are kept until then."""

_WHOLE = {"integer": 2**31, "bigint": 2**63}


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """What has come in."""

    rows: int
    size: int
    digest: int
    """The sum of hashes of the rows."""


def probe() -> int:
    """What a server that hashes as we do makes of the row by which servers are told apart."""
    seed = 0
    one, moment = np.array([1], np.int64), np.array([97_445_000_000])
    raw = np.frombuffer(b"a\x01", np.uint8)
    start, length = np.array([0, 1]), np.array([1])
    return postgres_hash.of_row(
        [
            postgres_hash.long_numbers(one, seed),
            postgres_hash.texts(raw, start[:1], length, seed),
            postgres_hash.floats(np.array([1.5]), seed),
            postgres_hash.decimals(np.array([[2, 5_000]]), 0, seed),
            postgres_hash.whole_numbers(one, seed),
            postgres_hash.texts(raw, start[1:], length, seed),
            postgres_hash.whole_numbers(one, seed),
            postgres_hash.long_numbers(moment, seed),
        ]
    )


def can_take(
    connection: "Connection[Any]",
    declared: Mapping[str, str],
    names: Sequence[str],
    constant: tuple[str, int] | None,
) -> bool:
    """Whether rows of these columns can go into a table as it is declared."""
    # Text that the server writes in another way hashes in another way too.
    if connection.info.parameter_status("server_encoding") != "UTF8":
        return False
    if constant is not None and constant[1] >= _WHOLE.get(declared[constant[0]], 0):
        return False
    return all(can_write(declared[name]) for name in names if name in declared)


def copy(
    connection: "Connection[Any]",
    statement: str,
    names: Sequence[str],
    declared: Sequence[str],
    seed: int,
    batches: Iterator[Any],
    check: Check,
    constant: int | None,
) -> Streamed:
    """Send the batches; raises what the check raises, and then nothing of them is there."""
    rows = size = 0
    sums = dict.fromkeys(range(len(names)), 0)
    long: list[tuple[int, Any]] = []
    encoded = _encoded(names, declared, seed, batches, check, constant)
    command = f"{statement} (FORMAT binary)".encode()
    with (
        connection.cursor() as cursor,
        cursor.copy(command) as sending,
        ahead(encoded) as ready,
    ):
        sending.write(BEGIN)
        for count, weight, made in ready:
            sending.write(made.data)
            rows, size = rows + count, size + weight
            for i, found in enumerate(made.hashes):
                sums[i] += found
            long += made.long
            if sum(values.nbytes for _, values in long) > LONG_BYTES_MAX:
                raise UnreachableError(
                    "the batch has much more long text than the one before it",
                    subject=connection.info.dbname,
                    next_action="nothing: the query starts again, and takes the batch another way",
                )
        sending.write(END)
    for i, values in long:
        sums[i] += _hashed_there(connection, values, seed)
    order = sorted(range(len(names)), key=names.__getitem__)
    return Streamed(rows=rows, size=size, digest=postgres_hash.of_row([sums[i] for i in order]))


def _encoded(
    names: Sequence[str],
    declared: Sequence[str],
    seed: int,
    batches: Iterator[Any],
    check: Check,
    constant: int | None,
) -> "Iterator[tuple[int, int, Piece]]":
    rows = 0
    last = None if constant is None else (declared[-1], constant)
    for batch in batches:
        columns = [check(name, batch.column(i), rows) for i, name in enumerate(names)]
        checked = pa.RecordBatch.from_arrays(columns, names=list(map(str, range(len(names)))))
        made = piece(checked, declared[: len(names)], seed, constant=last)
        yield batch.num_rows, batch.nbytes, made
        rows += batch.num_rows


def _hashed_there(connection: "Connection[Any]", values: Any, seed: int) -> int:
    """Bytes hash as text of the same bytes does."""
    found = connection.execute(
        "SELECT coalesce(sum(hash_record_extended(ROW(v), %s::bigint)), 0)::text"
        " FROM unnest(%s::bytea[]) AS v",
        [seed, values.to_pylist()],
    ).fetchone()
    assert found is not None
    return int(found[0])
