"""Chance and clock in a transform: found where they are, with the line; nothing else is."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from holdfast.adapters.spark.transform_source import transform_source
from holdfast.core.guards.repeatable_transform import NOT_LOOKED_AT, find_unrepeatable


def found_in(source: str) -> list[str]:
    """What is called in which line: 'line 3 uuid.uuid4'."""
    findings = find_unrepeatable("orders", (), {"orders_module": dedent(source)})
    assert {(f.code, f.severity, f.job) for f in findings} <= {("HF221", "warning", "orders")}
    return [
        f"line {f.message.partition(' in line ')[2].partition(',')[0]} "
        f"{f.message.partition(' calls ')[2].partition('(')[0]}"
        for f in findings
    ]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("Rand", "a new seed"),
        ("Uuid", "a new seed"),
        ("Shuffle", "a new seed"),
        ("MonotonicallyIncreasingID", "spread over partitions"),
        ("monotonically_increasing_id", "spread over partitions"),
        ("SparkPartitionID", "spread over partitions"),
        ("InputFileName", "put together into tasks"),
        ("Sample", "drawn anew at every start"),
        ("PythonUDF:make_id", "the function 'make_id' is not repeatable"),
        ("SomethingNew", "Spark calls it nondeterministic"),
        (NOT_LOOKED_AT, "could not be looked through"),
    ],
)
def test_expressions_of_the_plan(word: str, reason: str) -> None:
    (found,) = find_unrepeatable("orders", [word], {})
    assert (found.code, found.severity, found.job) == ("HF221", "warning", "orders")
    assert reason in found.message


def test_the_clock_of_a_batch_is_repeatable() -> None:
    words = ["CurrentTimestamp", "CurrentDate", "Now", "LocalTimestamp"]
    assert find_unrepeatable("orders", words, {}) == ()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import random\ndef f(x):\n    return random.random()", ["line 3 random.random"]),
        ("from random import randint as r\nf = lambda x: r(1, 2)", ["line 2 random.randint"]),
        ("import uuid\ndef f():\n    return str(uuid.uuid4())", ["line 3 uuid.uuid4"]),
        ("from uuid import uuid4\nf = udf(uuid4)", ["line 2 uuid.uuid4"]),
        ("import secrets\ndef f():\n    return secrets.token_hex()", ["line 3 secrets.token_hex"]),
        (
            "from datetime import datetime, UTC\ndef f():\n    return datetime.now(UTC).date()",
            ["line 3 datetime.datetime.now"],
        ),
        ("import datetime as d\nx = d.datetime.utcnow()", ["line 2 datetime.datetime.utcnow"]),
        ("import datetime\nx = datetime.date.today()", ["line 2 datetime.date.today"]),
        (
            "import time\nx = [time.time(), time.time_ns()]",
            ["line 2 time.time", "line 2 time.time_ns"],
        ),
        ("import time\nx = time.monotonic()", ["line 2 time.monotonic"]),
        ("import time\nx = time.strftime('%Y')", ["line 2 time.strftime"]),
        ("import os\nx = os.urandom(8)", ["line 2 os.urandom"]),
        ("import numpy as np\nx = np.random.rand(3)", ["line 2 numpy.random.rand"]),
        ("from numpy import random\nx = random.normal()", ["line 2 numpy.random.normal"]),
        ("import numpy.random\nx = numpy.random.normal()", ["line 2 numpy.random.normal"]),
        (
            "import numpy as np\nx = np.random.default_rng().normal()",
            ["line 2 numpy.random.default_rng"],
        ),
        ("import pandas as pd\nx = pd.Timestamp.now()", ["line 2 pandas.Timestamp.now"]),
        ("import random\nx = random.Random().random()", ["line 2 random.Random"]),
        ("import random\nx = random.SystemRandom()", ["line 2 random.SystemRandom"]),
        ("def f(x):\n    return random.random()", ["line 2 random.random"]),
        ("def f(x):\n    return datetime.now()", ["line 2 datetime.datetime.now"]),
        ("def f(x):\n    return datetime.datetime.now()", ["line 2 datetime.datetime.now"]),
        ("    def f(self):\n        return uuid4()", ["line 2 uuid.uuid4"]),
        (f"import time\nx = {' + '.join(['1'] * 900)} + time.time()", ["line 2 time.time"]),
    ],
)
def test_calls_that_are_not_repeatable(source: str, expected: list[str]) -> None:
    findings = find_unrepeatable("orders", (), {"m": source})
    told = [
        f"line {f.message.partition(' in line ')[2].partition(',')[0]} "
        f"{f.message.partition(' calls ')[2].partition('(')[0]}"
        for f in findings
    ]
    assert told == expected


@pytest.mark.parametrize(
    "source",
    [
        "import uuid\nx = uuid.uuid5(uuid.NAMESPACE_DNS, 'a')",
        "import random\nx = random.Random(5).random()",
        "import numpy as np\nx = np.random.default_rng(seed=3).normal()",
        "import time\nx = time.strftime('%Y', row.at)\ny = time.gmtime(row.at)",
        "import time\nx = time.sleep(1)",
        "from datetime import datetime\nx = datetime.fromisoformat(row.at)",
        "from pyspark.sql.functions import current_timestamp\nx = current_timestamp()",
        "from chance import random\nx = random()",
        "import os\ndef f(random):\n    return random.random()",
        "x = row.random.random()",
        "this is no Python",
        "\0",
        "",
    ],
)
def test_calls_that_are_repeatable(source: str) -> None:
    assert found_in(source) == []


def test_the_message_names_function_call_and_line() -> None:
    source = "import uuid\n\n\ndef make_id(row):\n    return uuid.uuid4().hex\n"
    (found,) = find_unrepeatable("orders", (), {"orders_jobs": source})
    assert found.message.startswith(
        "make_id in orders_jobs calls uuid.uuid4() in line 5, which depends on chance"
    )
    (found,) = find_unrepeatable("orders", (), {"make_id": source})
    assert found.message.startswith("make_id calls uuid.uuid4() in line 5")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_only_what_a_transform_reaches_is_looked_at(project: Path) -> None:
    (project / "guards_jobs.py").write_text(
        dedent(
            """\
            import random
            import time

            import guards_cleaning
            from guards_ids import make_id


            def udf(function):
                return function


            @udf
            def noisy(row):
                return _noise() + row


            def _noise():
                return random.random()


            clock = udf(lambda row: time.time())


            def orders(frame):
                return clock(make_id(noisy(frame)))


            def make_data():
                return random.randint(1, 6)


            if __name__ == "__main__":
                print(time.time_ns())
            """
        )
    )
    (project / "guards_ids.py").write_text(
        "import uuid\n\n\ndef make_id(row):\n    return uuid.uuid4()\n\n\n"
        "def other(row):\n    return uuid.uuid1()\n"
    )
    (project / "guards_cleaning.py").write_text("import time\n\nSTARTED = time.time()\n")
    module = importlib.import_module("guards_jobs")
    sources = transform_source(module.orders)
    assert list(sources) == ["guards_jobs", "guards_ids"]
    messages = [finding.message for finding in find_unrepeatable("orders", (), sources)]
    assert [message.partition(", which")[0] for message in messages] == [
        "_noise in guards_jobs calls random.random() in line 18",
        "guards_jobs calls time.time() in line 21",
        "make_id in guards_ids calls uuid.uuid4() in line 5",
    ]


def test_modules_of_a_package_are_followed(project: Path) -> None:
    package = project / "guards_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "ids.py").write_text("import uuid\n\n\ndef make_id():\n    return uuid.uuid4()\n")
    (package / "jobs.py").write_text(
        "from . import ids\n\n\ndef orders(frame):\n    return ids.make_id()\n"
    )
    module = importlib.import_module("guards_package.jobs")
    (found,) = find_unrepeatable("orders", (), transform_source(module.orders))
    assert "make_id in guards_package.ids calls uuid.uuid4() in line 5" in found.message


def test_a_function_without_a_file_has_no_source() -> None:
    assert transform_source(len) == {}
    namespace = {"__name__": "nowhere"}
    exec("def f(frame): return frame", namespace)
    assert transform_source(namespace["f"]) == {}  # type: ignore[arg-type]
