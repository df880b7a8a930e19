"""Conversations cut into messages: nothing is lost, and no name holds a value."""

import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.crash.wire.address import ServerAddress, address_in, with_address
from holdfast.core.crash.wire.kafka import KafkaTalk
from holdfast.core.crash.wire.kafka_addresses import led
from holdfast.core.crash.wire.message import Piece, Talk, straight
from holdfast.core.crash.wire.mysql import MysqlTalk
from holdfast.core.crash.wire.plain import PlainTalk
from holdfast.core.crash.wire.postgres import PostgresTalk
from holdfast.core.crash.wire.protocols import WIRE_PROTOCOLS
from holdfast.core.crash.wire.sql_verb import commits, verb_of
from holdfast.errors import UsageError

SECRET = b"s3cret"


def names(pieces: list[Piece]) -> list[tuple[str, str]]:
    return [(piece.call, piece.name) for piece in pieces if piece.name is not None]


def joined(pieces: list[Piece]) -> bytes:
    return b"".join(piece.data for piece in pieces)


# SQL


@pytest.mark.parametrize(
    ("statement", "verb"),
    [
        (b"INSERT INTO t VALUES ('COMMIT; x')", "INSERT"),
        (b"  -- a comment\n select 1", "SELECT"),
        (b"(SELECT 1)", "SELECT"),
        (b"begin; insert into t values (1); commit", "INSERT; COMMIT"),
        (b"commit   prepared 'x'", "COMMIT PREPARED"),
        (b"SET x = 1", ""),
        (b"s3cret me", "statement"),
        (b"", ""),
        (b"INSERT INTO t VALUES ($$;commit$$)", "INSERT"),
        (b"INSERT INTO t VALUES (" + b"';commit;'," * 20_000, "INSERT"),
    ],
)
def test_a_statement_is_known_by_its_verbs(statement: bytes, verb: str) -> None:
    assert verb_of(statement) == verb
    assert commits(verb) == (verb.endswith("COMMIT") or verb == "COMMIT PREPARED")


# PostgreSQL


def startup(code: int, body: bytes = b"") -> bytes:
    return struct.pack("!II", 8 + len(body), code) + body


def typed(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack("!I", 4 + len(body)) + body


def text(*words: bytes) -> bytes:
    return b"".join(word + b"\0" for word in words)


START = startup(196608, text(b"user", SECRET) + b"\0")
LET_IN = typed(b"R", struct.pack("!I", 0)) + typed(b"Z", b"I")
READY, OPEN = typed(b"Z", b"I"), typed(b"Z", b"T")


def postgres() -> PostgresTalk:
    talk = PostgresTalk()
    assert joined(talk.sent(START)) == START
    assert joined(talk.answered(LET_IN)) == LET_IN
    return talk


def test_postgres_names_what_is_executed_and_what_lasts() -> None:
    talk = postgres()
    begin = typed(b"Q", text(b"BEGIN"))
    assert names(talk.sent(begin)) == []
    assert names(talk.answered(typed(b"C", text(b"BEGIN")) + OPEN)) == []
    insert = typed(b"P", text(b"s1", b"INSERT INTO t VALUES ($1)") + b"\0\0")
    bind = typed(b"B", text(b"", b"s1") + SECRET)
    execute = typed(b"E", text(b"") + b"\0\0\0\0")
    flight = insert + bind + typed(b"D", b"P\0") + execute + typed(b"S")
    assert names(talk.sent(flight)) == [("send", "Execute INSERT")]
    done = typed(b"1") + typed(b"2") + typed(b"n") + typed(b"C", text(b"INSERT 0 1")) + OPEN
    assert names(talk.answered(done)) == [("answer", "INSERT")]
    assert names(talk.sent(typed(b"Q", text(b"commit")))) == [("commit", "Query COMMIT")]
    assert names(talk.answered(typed(b"C", text(b"COMMIT")) + READY)) == [("acknowledge", "COMMIT")]
    alone = typed(b"Q", text(b"UPDATE t SET a = 's3cret'"))
    assert names(talk.sent(alone)) == [("send", "Query UPDATE")]
    answer = typed(b"C", text(b"UPDATE 7")) + typed(b"N", b"\0") + READY
    assert names(talk.answered(answer)) == [("acknowledge", "UPDATE")]


def test_postgres_answer_waits_for_what_is_behind_it_unless_it_was_flushed() -> None:
    talk = postgres()
    done = typed(b"C", text(b"INSERT 0 1"))
    talk.sent(typed(b"Q", text(b"INSERT INTO t VALUES (1)")))
    assert joined(talk.answered(done)) == b""
    assert joined(talk.answered(READY)) == done + READY
    talk.sent(typed(b"H") + typed(b"P", text(b"s", b"SELECT 1") + b"\0\0"))
    assert joined(talk.answered(done)) == done
    talk.sent(typed(b"S"))
    assert joined(talk.answered(done)) == b""


def test_postgres_copy_is_rows_and_an_end() -> None:
    talk = postgres()
    talk.sent(typed(b"Q", text(b"COPY t FROM STDIN")))
    assert joined(talk.answered(typed(b"G", b"\0\0\0"))) != b""
    rows = [typed(b"d", SECRET)] * 3
    assert names(talk.sent(b"".join(rows) + typed(b"c"))) == [
        *([("send", "CopyData")] * 3),
        ("send", "CopyDone"),
    ]


@pytest.mark.parametrize(("answer", "readable"), [(b"N", True), (b"S", False)])
def test_postgres_that_is_encrypted_is_handed_on_by_direction(
    answer: bytes, readable: bool
) -> None:
    talk = PostgresTalk()
    assert joined(talk.sent(startup(80877103))) == startup(80877103)
    assert joined(talk.answered(answer)) == answer
    if readable:
        assert joined(talk.sent(START)) == START
        assert names(talk.sent(typed(b"Q", text(b"DELETE FROM t")))) == [("send", "Query DELETE")]
    else:
        assert talk.sent(b"\x16\x03\x01 and so on") == [
            Piece(data=b"\x16\x03\x01 and so on", name="bytes")
        ]
        assert names(talk.answered(b"\x16\x03")) == [("answer", "bytes")]


# MySQL


def packet(number: int, body: bytes) -> bytes:
    return len(body).to_bytes(3, "little") + bytes([number]) + body


def ok(status: int) -> bytes:
    return packet(1, b"\x00\x01\x00" + struct.pack("<HH", status, 0))


def mysql(capabilities: int = 0) -> MysqlTalk:
    talk = MysqlTalk()
    talk.answered(packet(0, b"\x0aserver"))
    talk.sent(packet(1, struct.pack("<I", capabilities) + SECRET))
    talk.answered(packet(2, b"\x00\x00\x00\x02\x00\x00\x00"))
    return talk


def test_mysql_names_what_is_executed_and_what_lasts() -> None:
    talk = mysql()
    assert names(talk.sent(packet(0, b"\x03INSERT INTO t VALUES (1)"))) == [
        ("send", "Query INSERT")
    ]
    assert names(talk.answered(ok(0x0001))) == [("answer", "INSERT")]
    assert names(talk.sent(packet(0, b"\x03COMMIT"))) == [("commit", "Query COMMIT")]
    assert names(talk.answered(ok(0x0002))) == [("acknowledge", "COMMIT")]
    assert names(talk.sent(packet(0, b"\x03\x00\x01DELETE FROM t"))) == [("send", "Query DELETE")]
    assert names(talk.answered(ok(0x0002))) == [("acknowledge", "DELETE")]
    assert names(talk.sent(packet(0, b"\x16UPDATE t SET a = ?"))) == []
    assert names(talk.answered(packet(1, b"\x00\x07\x00\x00\x00" + b"\0" * 7))) == []
    assert names(talk.sent(packet(0, b"\x17\x07\x00\x00\x00" + SECRET))) == [
        ("send", "Execute UPDATE")
    ]
    assert names(talk.answered(packet(1, b"\xffno"))) == []
    assert names(talk.sent(packet(0, b"\x0e"))) == []


def test_mysql_that_is_encrypted_is_handed_on_by_direction() -> None:
    talk = mysql(0x0800)
    assert names(talk.sent(packet(0, b"\x03COMMIT"))) == [("send", "bytes")]


# Kafka


def request(kind: int, version: int, number: int, body: bytes) -> bytes:
    head = struct.pack("!hhih", kind, version, number, len(b"client")) + b"client"
    return struct.pack("!i", len(head + body)) + head + body


def test_kafka_names_what_a_broker_keeps() -> None:
    talk = KafkaTalk(straight)
    assert names(talk.sent(request(18, 3, 1, b""))) == []
    alone = request(0, 9, 2, b"\0" + b"\0" + SECRET)
    assert names(talk.sent(alone)) == [("send", "Produce")]
    assert names(talk.answered(struct.pack("!ii", 4, 2))) == [("acknowledge", "Produce")]
    together = request(0, 9, 3, b"\0" + b"\x03id" + SECRET)
    assert names(talk.sent(together)) == [("send", "Produce")]
    assert names(talk.answered(struct.pack("!ii", 4, 3))) == [("answer", "Produce")]
    producer = b"\0" * 10
    for number, (version, transaction) in enumerate([(1, b"\0\2id"), (3, b"\0" + b"\3id")]):
        end = request(26, version, 10 + number, transaction + producer + b"\1")
        assert names(talk.sent(end)) == [("commit", "EndTxn")]
        answer = struct.pack("!ii", 4, 10 + number)
        assert names(talk.answered(answer)) == [("acknowledge", "EndTxn")]
        abort = request(26, version, 20 + number, transaction + producer + b"\0")
        assert names(talk.sent(abort)) == [("send", "EndTxn abort")]


def test_kafka_brokers_are_led_elsewhere_and_nothing_else_changes() -> None:
    def route(host: str, port: int) -> tuple[str, int]:
        return f"by-{host}", port + 1

    def broker(host: bytes, port: int) -> bytes:
        return struct.pack("!ih", 1, len(host)) + host + struct.pack("!i", port) + b"\xff\xff"

    old = struct.pack("!iii", 5, 0, 1) + broker(b"here", 9) + b"the rest"
    new = struct.pack("!iii", 5, 0, 1) + broker(b"by-here", 10) + b"the rest"
    assert led(old, 3, 3, route) == new
    compact = struct.pack("!i", 5) + b"\0" + struct.pack("!i", 0) + b"\2" + struct.pack("!i", 1)
    tail = b"\0\0" + b"the rest"
    assert led(compact + b"\5here" + struct.pack("!i", 9) + tail, 3, 12, route) == (
        compact + b"\x08by-here" + struct.pack("!i", 10) + tail
    )
    assert led(old[:20], 3, 3, route) == old[:20]


@pytest.mark.parametrize(
    ("kind", "version", "before", "after"),
    [
        (10, 0, b"\0\0\0\0\0\7", b""),
        (10, 2, b"\0\0\0\0" + b"\0\0" + b"\xff\xff" + b"\0\0\0\7", b""),
        (10, 3, b"\0" + b"\0\0\0\0" + b"\0\0" + b"\0" + b"\0\0\0\7", b"\0"),
        (10, 4, b"\0" + b"\0\0\0\0" + b"\2" + b"\4key" + b"\0\0\0\7", b"\0\0\1\0\0"),
        (
            *(60, 1),
            b"\0"
            + b"\0\0\0\0"
            + b"\0\0"
            + b"\0"
            + b"\1"
            + b"\3id"
            + b"\0\0\0\7"
            + b"\2"
            + b"\0\0\0\7",
            b"\0\0" + b"rest",
        ),
    ],
)
def test_kafka_coordinators_and_clusters_are_led_elsewhere(
    kind: int, version: int, before: bytes, after: bytes
) -> None:
    compact = (kind, version) not in ((10, 0), (10, 2))

    def answer(host: bytes, port: int) -> bytes:
        length = bytes([len(host) + 1]) if compact else struct.pack("!h", len(host))
        address = length + host + struct.pack("!i", port)
        return struct.pack("!i", 5) + before + address + after

    led_there = led(answer(b"here", 9), kind, version, lambda host, port: (f"by-{host}", port + 1))
    assert led_there == answer(b"by-here", 10)
    nobody = answer(b"", -1)
    assert led(nobody, kind, version, lambda host, port: ("no", 1)) == nobody


# Anything


def test_plain_bytes_are_points_where_the_direction_changes() -> None:
    talk = PlainTalk()
    assert names(talk.sent(b"POST /s3cret HTTP/1.1\r\n")) == [("send", "POST")]
    assert names(talk.sent(SECRET)) == []
    assert names(talk.answered(b"HTTP/1.1 201 Created\r\n")) == [("acknowledge", "POST")]
    assert names(talk.answered(b"more")) == []
    assert names(talk.sent(b"GET / HTTP/1.1\r\n")) == [("send", "GET")]
    assert names(talk.answered(b"HTTP/1.1 200 OK\r\n")) == [("answer", "GET")]
    assert names(talk.sent(SECRET)) == [("send", "bytes")]


@given(st.sampled_from(sorted(WIRE_PROTOCOLS)), st.lists(st.tuples(st.booleans(), st.binary())))
def test_whatever_comes_nothing_is_made_up(name: str, turns: list[tuple[bool, bytes]]) -> None:
    """What is handed on is a beginning of what came: the rest waits for its message to be whole."""
    talk: Talk = WIRE_PROTOCOLS[name].talk(straight)
    came, went = {True: b"", False: b""}, {True: b"", False: b""}
    for by_job, data in turns:
        came[by_job] += data
        went[by_job] += joined(talk.sent(data) if by_job else talk.answered(data))
    assert all(came[side].startswith(went[side]) for side in (True, False))


@given(st.lists(st.integers(0, 200)))
def test_where_bytes_are_cut_does_not_matter(cuts: list[int]) -> None:
    whole = START + typed(b"Q", text(b"INSERT INTO t VALUES (1)")) + typed(b"Q", text(b"COMMIT"))
    talk = PostgresTalk()
    pieces: list[Piece] = []
    places = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    for start, end in itertools.pairwise(places):
        pieces += talk.sent(whole[start:end])
    assert joined(pieces) == whole
    assert names(pieces) == [("send", "Query INSERT"), ("commit", "Query COMMIT")]


# Addresses


def test_addresses_are_read_and_put_into_options() -> None:
    assert ServerAddress.parse("postgres=db").port == 5432
    assert ServerAddress.parse("tcp=[::1]:7") == ServerAddress(protocol="tcp", host="::1", port=7)
    url = "postgresql+psycopg://me:p%40ss@db:1/x?y=z@w"
    assert address_in(url) == "db:1"
    assert with_address(url, "127.0.0.1:9") == "postgresql+psycopg://me:p%40ss@127.0.0.1:9/x?y=z@w"
    assert (address_in("a:1,b:2"), with_address("a:1,b:2", "c:3")) == ("a:1", "c:3")


@pytest.mark.parametrize(
    "wrong", ["db:5432", "oracle=db:1", "postgres=", "tcp=db", "kafka=a:99999"]
)
def test_addresses_that_cannot_be_are_refused(wrong: str) -> None:
    with pytest.raises(UsageError):
        ServerAddress.parse(wrong)
