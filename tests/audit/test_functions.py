"""A function of the user's as the reader of an output."""

import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.outputs.opening import open_output
from holdfast.core.crash.table import EMPTY
from holdfast.errors import UnreachableError, UsageError

MODULE = """
import sys
from collections import namedtuple
from pathlib import Path

Pair = namedtuple("Pair", "b a")
class SparkRow(tuple):
    def asDict(self): return dict(zip(("b", "a"), self))
number = 7

def mappings(): return [{"b": 1, "a": "x"}, {"a": "x", "b": 1}, {"a": None}]
def sequences(): return iter([(1, "x"), [1, "x"]])
def pairs(): return (Pair(1, "x") for _ in range(2))
def spark_rows(): return [SparkRow((1, "x"))]
def nothing(): return []
def with_work(folder): return [{"a": (folder / "f").read_text()}]
def with_optional_work(work=None): return [{"a": str(work)}]
def with_other(limit=3): return [{"a": limit}]
def two(one, other): return []
def keyword(*, one): return []
def breaks(): raise ZeroDivisionError("no rows today")
def breaks_late():
    yield {"a": 1}
    raise KeyError("gone")
def leaves(): sys.exit("bye")
def frame(): return "ab"
def no_rows(): return None
def prints():
    print("talk")
    return [{"a": 1}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("answers", "answers.gold", "broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "gold.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("import no_such_library\n")
    return tmp_path


def read(name: str, work: Path | None = None) -> Any:
    return open_output(f"answers.gold:{name}", work).read()


def test_rows_are_mappings_or_sequences() -> None:
    table = read("mappings")
    assert table.columns == ("a", "b")
    assert Counter(table.rows) == {('"x"', "1"): 2, ("null", "null"): 1}
    assert read("sequences").columns == ("1", "2")
    assert Counter(read("sequences").rows) == {("1", '"x"'): 2}
    assert Counter(read("pairs").rows) == {('"x"', "1"): 2}
    assert read("spark_rows").columns == ("a", "b")
    assert read("nothing") == EMPTY


def test_the_work_folder_is_given_to_those_who_ask(folder: Path) -> None:
    (folder / "f").write_text("hello")
    assert read("with_work", folder).rows == (('"hello"',),)
    assert read("with_optional_work", folder).rows == ((f'"{folder}"',),)
    assert read("with_other", folder).rows == (("3",),)
    assert open_output("answers.gold:with_work").takes_work
    assert not open_output("answers.gold:mappings").takes_work


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("breaks", "ZeroDivisionError: no rows today"),
        ("breaks_late", "KeyError: 'gone'"),
        ("leaves", "SystemExit: bye"),
        ("frame", "a row is str"),
        ("no_rows", "TypeError"),
    ],
)
def test_what_a_function_raises_is_told(name: str, told: str) -> None:
    with pytest.raises(UnreachableError, match=told) as caught:
        read(name)
    assert "Traceback" not in caught.value.message
    assert caught.value.subject == f"answers.gold:{name}"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("no_such_module:rows", "ModuleNotFoundError"),
        ("answers.gold:no_such_function", "AttributeError"),
        ("broken:rows", "no_such_library"),
        ("answers.gold:number", "not a function"),
        ("answers.gold:two", "arguments: one, other"),
        ("answers.gold:keyword", "arguments: one"),
        ("parqet:out", "parqet"),
    ],
)
def test_what_is_no_function_is_said_before_anything_runs(spec: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        open_output(spec)


def test_what_a_function_prints_is_talk(capsys: pytest.CaptureFixture[str]) -> None:
    output = open_output("answers.gold:prints")
    threads = [threading.Thread(target=output.read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("data")
    assert capsys.readouterr() == ("data\n", "talk\n" * 8)
