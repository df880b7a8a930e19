"""What goes wrong with a server: a clear error, no half batch, and the next start goes on."""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from holdfast.adapters.sinks.sql import Step
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import (
    HoldfastError,
    MalformedError,
    RefusedError,
    UnreachableError,
    UsageError,
)
from tests.sinks.servers import my, my_rows, mysql_url, pg, pg_rows, postgres_url, server_sink
from tests.sinks.sql_tables import QUERY, make_batch

pytestmark = pytest.mark.server
ROWS = [(1, "a"), (1, "a"), (2, None)]
SECRET = "a-value-that-must-not-be-shown"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as found:
        yield found


@pytest.fixture(scope="module")
def maria() -> Iterator[str]:
    with mysql_url() as found:
        yield found


def at(step: Step, act: Callable[[], Any]) -> Callable[[Step], None]:
    """Do something once, when a step is reached."""
    left = [act]

    def listen(reached: Step) -> None:
        if reached == step and left:
            left.pop()()

    return listen


def as_role(url: str, role: str, *rights: str, password: str = "long-enough") -> str:
    """The URL of a new role, with these rights."""
    pg(url, f"CREATE ROLE {role} LOGIN PASSWORD '{password}'")
    for right in rights:
        pg(url, right.format(role=role))
    return make_url(url).set(username=role, password=password).render_as_string(False)


def name(what: str) -> str:
    """Roles are those of the whole server."""
    return f"{what}_{uuid.uuid4().hex[:8]}"


def is_clear(error: HoldfastError, *words: str) -> None:
    told = f"{error.message} {error.subject} {error.next_action}"
    assert all(word in told for word in words), told
    assert error.next_action and "password-that-must-never" not in told
    assert SECRET not in told and "INSERT" not in told and "COPY" not in told


# --- the connection


def end_all(url: str) -> None:
    pg(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name LIKE 'holdfast %' AND pid <> pg_backend_pid()",
    )


@pytest.mark.parametrize("step", ["begin", "rows", "mark", "commit"])
def test_a_connection_lost_amid_a_batch_is_tried_again(url: str, step: Step) -> None:
    table, asked = f"lost_{step}", []
    sink = server_sink(url, table, create=True, steps=at(step, lambda: end_all(url)))

    def rows() -> Iterator[Any]:
        asked.append(1)
        return iter(ROWS)

    made = make_batch(0, ROWS, sink=table)
    batch = type(made)(**{n: getattr(made, n) for n in made.__slots__ if n != "rows"}, rows=rows)
    assert sink.write(batch) is True
    assert pg_rows(url, table) == Counter(ROWS) and len(asked) == 1
    assert [mark.batch_id for mark in read_ledger(url, table)] == [0]


def test_a_batch_too_large_to_keep_ends_cleanly_and_goes_on(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.sinks.sql.REPLAY_BYTES_MAX", 10)
    sink = server_sink(url, "large", create=True, steps=at("mark", lambda: end_all(url)))
    with pytest.raises(UnreachableError) as raised:
        sink.write(make_batch(0, ROWS, sink="large"))
    is_clear(raised.value)
    assert sink.write(make_batch(0, ROWS, sink="large")) is True
    assert pg_rows(url, "large") == Counter(ROWS)


@pytest.mark.parametrize("kept", [True, False])
def test_an_answer_to_commit_that_is_lost_is_settled_by_the_ledger(
    url: str, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """The transaction is there, and the driver was told that the connection broke."""
    table = f"answer_{int(kept)}"
    if not kept:
        monkeypatch.setattr("holdfast.adapters.sinks.sql.REPLAY_BYTES_MAX", 10)
    sink = server_sink(url, table, create=True)
    commit, lost = sink._database.commit, [True]

    def forgetful(connection: Any) -> None:
        commit(connection)
        if lost:
            lost.pop()
            raise psycopg.OperationalError("the connection is lost")

    monkeypatch.setattr(sink._database, "commit", forgetful)
    assert sink.write(make_batch(0, ROWS, sink=table)) is True
    assert sink.write(make_batch(0, ROWS, sink=table)) is False
    assert pg_rows(url, table) == Counter(ROWS)


def test_on_mariadb_too(maria: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(url: str) -> None:
        for row in my(url, "SHOW PROCESSLIST"):
            if row[3] == make_url(url).database and row[7] != "SHOW PROCESSLIST":
                my(url, f"KILL {row[0]}")

    for step in ("rows", "commit"):
        table = f"lost_{step}"
        sink = server_sink(maria, table, create=True, steps=at(step, lambda: end(maria)))
        assert sink.write(make_batch(0, ROWS, sink=table)) is True
        assert my_rows(maria, table) == Counter(ROWS)


def test_a_deadlock_is_tried_again(url: str) -> None:
    pg(url, "CREATE TABLE dead (id int PRIMARY KEY, name text)")
    pg(url, "INSERT INTO dead VALUES (1, 'x'), (2, 'y')")
    blocked = psycopg.connect(url)
    blocked.execute("SET deadlock_timeout = '10s'")
    blocked.execute("UPDATE dead SET name = 'held' WHERE id = 2")

    def cross() -> None:
        blocked.execute("SELECT * FROM holdfast_ledger WHERE sink = 'dead' FOR UPDATE")
        blocked.rollback()

    thread = threading.Thread(target=cross)
    reached: list[Step] = []
    options = {"mode": "upsert", "key": ("id",), "lock_wait_seconds": 20}
    sink = server_sink(url, "dead", steps=reached.append, **options)

    def rows() -> Iterator[Any]:
        # We hold the ledger now; the other one holds a row, and waits for the ledger.
        thread.start()
        deadline = time.monotonic() + 60
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while pg(url, f"{waiting} AND datname = current_database()") == [(0,)]:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return iter([(1, "a"), (2, "b")])

    made = make_batch(0, [], sink="dead")
    batch = type(made)(**{n: getattr(made, n) for n in made.__slots__ if n != "rows"}, rows=rows)
    assert sink.write(batch) is True
    thread.join()
    blocked.close()
    assert reached.count("begin") > 1, "there was no deadlock"
    assert pg_rows(url, "dead") == Counter([(1, "a"), (2, "b")])


# --- what the server does not allow


def test_a_wrong_password_an_unknown_database_and_no_server(url: str, maria: str) -> None:
    for base in (url, maria):
        parsed = make_url(base)
        for changed in (
            parsed.set(password=SECRET),
            parsed.set(database="nowhere"),
        ):
            with pytest.raises(UsageError) as raised:
                server_sink(changed.render_as_string(False), "t", create=True)
            is_clear(raised.value)
        with pytest.raises(UnreachableError) as gone:
            database = parsed.set(port=1).render_as_string(False)
            read_ledger(database)
        is_clear(gone.value)
    right = server_sink(
        make_url(url).set(password=SECRET).render_as_string(False),
        "by_option",
        create=True,
        password=make_url(url).password,
    )
    assert SECRET not in repr(right._options) and right.location.count("***") == 1


def test_tls_that_the_server_does_not_have_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        server_sink(f"{url}?sslmode=verify-full", "t", create=True)
    is_clear(raised.value, "TLS")


def test_no_right_to_write_to_create_or_a_read_only_role(url: str) -> None:
    pg(url, "CREATE TABLE guarded (id int, name text)")
    reader = as_role(url, name("reader"), "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
    with pytest.raises(UsageError) as raised:
        server_sink(reader, "guarded")
    is_clear(raised.value, "permission denied")
    server_sink(url, "guarded")
    rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}"
    writer = as_role(url, name("writer"), rights)
    assert server_sink(writer, "guarded", 2).write(make_batch(0, ROWS, epoch=2, sink="guarded"))
    with pytest.raises(UsageError, match="permission denied"):
        server_sink(writer, "new_one", create=True, columns="id int")
    pg(url, f"ALTER ROLE {make_url(writer).username} SET default_transaction_read_only = on")
    with pytest.raises(UnreachableError) as refused:
        server_sink(writer, "guarded", 3)
    is_clear(refused.value, "takes no writes")
    assert pg_rows(url, "guarded") == Counter(ROWS)


def test_locks_and_statements_that_take_too_long(url: str) -> None:
    sink = server_sink(url, "slow", create=True, columns="id int, name string")
    slow = as_role(url, name("slow"), "GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
    quick = server_sink(slow, "slow", 2, lock_wait_seconds=0.1)
    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE slow")
        with pytest.raises(UnreachableError) as raised:
            quick.write(make_batch(0, ROWS, epoch=2, sink="slow"))
        is_clear(raised.value, "lock_wait_seconds")
    pg(
        url,
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN PERFORM pg_sleep(5); RETURN NEW; END'",
    )
    pg(url, "CREATE TRIGGER wait BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION wait()")
    pg(url, f"ALTER ROLE {make_url(slow).username} SET statement_timeout = '300ms'")
    with pytest.raises(UnreachableError) as ended:
        quick.write(make_batch(0, ROWS, epoch=2, sink="slow"))
    is_clear(ended.value, "statement_timeout")
    pg(url, "DROP TRIGGER wait ON slow")
    assert quick.write(make_batch(0, ROWS, epoch=2, sink="slow")) is True
    assert pg_rows(url, "slow") == Counter(ROWS)
    assert sink.last_batch(QUERY) == 0


def test_what_the_database_itself_refuses_shows_no_value(url: str, maria: str) -> None:
    for base, run, rows in ((url, pg, pg_rows), (maria, my, my_rows)):
        run(base, "CREATE TABLE picky (id int UNIQUE, name varchar(99) CHECK (name <> 'never'))")
        sink = server_sink(base, "picky")
        for bad in ([(1, SECRET), (1, SECRET)], [(2, "never")]):
            with pytest.raises(RefusedError) as raised:
                sink.write(make_batch(0, bad, sink="picky"))
            is_clear(raised.value, "refused a row")
        assert sink.write(make_batch(0, [(1, "fine")], sink="picky")) is True
        assert rows(base, "picky") == Counter([(1, "fine")])


def test_a_full_disk_is_waited_for(url: str) -> None:
    """53100 from a trigger: what the server says when a file cannot grow."""
    pg(url, "CREATE TABLE full_disk (id int, name text)")
    pg(
        url,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END$$",
    )
    pg(url, "CREATE TRIGGER full_disk BEFORE INSERT ON full_disk EXECUTE FUNCTION full_disk()")
    sink = server_sink(url, "full_disk")
    with pytest.raises(UnreachableError) as raised:
        sink.write(make_batch(0, ROWS, sink="full_disk"))
    is_clear(raised.value, "no space left")
    pg(url, "DROP TRIGGER full_disk ON full_disk")
    assert sink.write(make_batch(0, ROWS, sink="full_disk")) is True
    assert pg_rows(url, "full_disk") == Counter(ROWS)


# --- what others have done to ledger and table


def test_a_ledger_that_was_altered_by_hand(url: str) -> None:
    pg(url, "CREATE SCHEMA altered")
    options = {"schema": "altered", "create": True}
    sink = server_sink(url, "t", **options)
    sink.write(make_batch(0, ROWS, sink="t"))
    pg(url, "DELETE FROM altered.holdfast_ledger")
    with pytest.raises(RefusedError, match="has lost the query"):
        sink.write(make_batch(1, ROWS, sink="t"))
    pg(url, "ALTER TABLE altered.holdfast_ledger DROP CONSTRAINT holdfast_ledger_pkey")
    with pytest.raises(MalformedError, match="its primary key is gone"):
        server_sink(url, "t", **options)
    pg(url, "ALTER TABLE altered.holdfast_ledger DROP COLUMN digest")
    with pytest.raises(MalformedError, match="has no column digest"):
        server_sink(url, "t", **options)
    assert pg_rows(url, "altered.t") == Counter(ROWS)


def test_a_table_restored_from_an_older_backup_is_found(url: str, maria: str) -> None:
    columns = "id int, name string, at timestamp, x double, b binary, d decimal(9,3)"
    names = ("id", "name", "at", "x", "b", "d")
    for base, run in ((url, pg), (maria, my)):
        options = {"create": True, "columns": columns, "batch_column": "batch"}
        sink = server_sink(base, "restored", **options)
        for number in range(3):
            rows = [(i, f"é{i}", None, i / 3, b"\x00x", None) for i in range(4)]
            sink.write(make_batch(number, rows, columns=names, sink="restored"))
        server_sink(base, "restored", 2, **options)
        run(base, "UPDATE restored SET name = 'other' WHERE batch = 1")
        server_sink(base, "restored", 3, **options)
        run(
            base,
            "UPDATE restored SET name = 'other', at = CURRENT_TIMESTAMP, d = 1 WHERE batch = 2",
        )
        with pytest.raises(RefusedError, match="other rows for it than were written"):
            server_sink(base, "restored", 4, **options)
        run(base, "DELETE FROM restored WHERE batch = 2 AND id > 1")
        with pytest.raises(RefusedError, match="holds batch 2, and the table has 2 of its 4 rows"):
            server_sink(base, "restored", 5, **options)
        run(base, "DROP TABLE restored")
        with pytest.raises(RefusedError, match="the table is gone"):
            server_sink(base, "restored", 6, **options)
