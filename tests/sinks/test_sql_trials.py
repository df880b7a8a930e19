"""A trial of an audit has a table of its own on the server, and leaves nothing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import make_url

from holdfast.adapters.outputs.opening import open_output
from holdfast.adapters.sinks.sql import SqlSink
from holdfast.core.crash.table import EMPTY
from holdfast.errors import UnreachableError, UsageError
from tests.sinks.servers import my, mysql_url, pg, postgres_url, server_sink
from tests.sinks.sql_tables import QUERY, make_batch

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    with postgres_url() as postgres, mysql_url() as mysql:
        yield {"postgres": postgres, "mysql": mysql}


@pytest.mark.parametrize("kind", ["postgres", "mysql"])
@pytest.mark.parametrize("table", ["orders", 'odd "%s `table` ' + "x" * 45])
def test_a_trial_leaves_the_declared_table_and_nothing_else(
    urls: dict[str, str], kind: str, table: str
) -> None:
    url = urls[kind]
    password = str(make_url(url).password)
    options: dict[str, Any] = {
        "mode": "upsert",
        "key": ("id",),
        "version": "v",
        "tombstone": "gone",
        "quarantine": "beside",
        "create": True,
        "columns": "id int, v int, gone boolean",
    }
    declared = server_sink(url, table, **options)
    columns = ("id", "v", "gone")
    declared.write(make_batch(0, [(1, 1, False)], columns=columns, sink=table))
    before = tables(url, kind)
    target = declared.trial("/unused", "r1a2b3_7")
    assert target.root is None and password not in repr(target) and password in str(target.read)
    output = open_output(target.read)
    assert output.read() == EMPTY or not output.read().rows
    sink = SqlSink.from_options({**options, "url": url, "table": table, **target.options})
    sink.open(QUERY, 1)
    assert sink.write(make_batch(0, [(5, 1, None), (6, 1, True)], columns=columns, sink=sink.name))
    assert Counter(output.read().rows) == Counter({("5", "1"): 1})
    declared.end_trial("r1a2b3_7")
    assert tables(url, kind) == before
    assert output.read() == EMPTY
    assert declared.last_batch(QUERY) == 0
    declared.end_trial("r1a2b3_7")


def test_the_reader_of_mysql_says_what_is_wrong(urls: dict[str, str]) -> None:
    my(urls["mysql"], "CREATE TABLE seen (b varchar(9), a int)")
    my(urls["mysql"], "INSERT INTO seen VALUES ('x', 1), ('x', 1), (NULL, 2)")
    found = open_output(f"mysql:{urls['mysql']}?table=seen").read()
    assert found.columns == ("a", "b")
    assert Counter(found.rows) == {("1", '"x"'): 2, ("2", "null"): 1}
    for wrong in (
        "mysql:postgresql://h/d?table=t",
        "mysql:mysql://h/d",
        "mysql:mysql://u:p@q@h/d?table=t",
    ):
        with pytest.raises(UsageError):
            open_output(wrong)
    gone = make_url(urls["mysql"]).set(password="not-that-one").render_as_string(False)
    with pytest.raises(UnreachableError) as raised:
        open_output(f"mysql:{gone}?table=seen").read()
    assert "not-that-one" not in raised.value.message + raised.value.subject


def tables(url: str, kind: str) -> list[tuple[Any, ...]]:
    if kind == "postgres":
        return sorted(pg(url, "SELECT relname FROM pg_class WHERE relkind IN ('r', 'i')"))
    return sorted(my(url, "SHOW TABLES"))
