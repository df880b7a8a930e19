"""The one Spark session in which the declared queries run."""

import contextlib
import importlib
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import IO

from pyspark.conf import SparkConf
from pyspark.core.context import SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from holdfast.core.secret_text import SecretText, is_secret_name
from holdfast.errors import UnreachableError

_DEFAULTS = {
    "spark.ui.showConsoleProgress": "false",
    # A second start of the same query in this session must not silently stop the first.
    "spark.sql.streaming.stopActiveRunOnRestart": "false",
}
_LOG_LEVEL = "spark.log.level"
_SAID_CHARACTERS_MAX = 400
_LOADED_MEANWHILE = ("holdfast.adapters.spark.columns", "pyspark.testing.utils")
"""Arrow for rows of a ledger sink; and pandas, which PySpark imports when the first object of ours
goes to Java (NumpyScalarConverter.can_convert, PySpark 4.2). Together a third of a second."""

_NEEDED_AT_LAUNCH = ("spark.jars", "spark.master", "spark.driver.", "spark.submit.", "spark.files")


def open_session(settings: Mapping[str, str], name: str) -> SparkSession:
    """Start or join a session; under spark-submit the master is the one given there.

    Spark's own log is silent unless `spark.log.level` is set: why a query failed is ours to say.
    """
    # Workers must run the interpreter that runs us, or they see other packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    chosen = {"spark.app.name": name, **_DEFAULTS, **settings}
    if not submitted():
        chosen.setdefault("spark.master", "local[*]")
    quiet = _LOG_LEVEL not in chosen
    with tempfile.TemporaryFile(prefix="holdfast-spark-") as said:
        try:
            if not submitted() and SparkContext._gateway is None:
                _launch(chosen, said if quiet else None)
            spark = SparkSession.builder.config(map=dict(chosen)).getOrCreate()
        except Exception as error:
            raise UnreachableError(
                f"Spark did not start: {_first_line(error)}{_last_words(said)}",
                subject=chosen.get("spark.master", "spark-submit"),
                next_action="`holdfast doctor` looks at Java, jars and settings",
            ) from error
    if quiet:
        spark.sparkContext.setLogLevel("OFF")
        # py4j logs the traceback of every exception that a sink raises, which we tell in a line.
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        logging.getLogger().addFilter(is_not_of_py4j)
    return spark


def submitted() -> bool:
    """Whether spark-submit started this process: its Java process is there already."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def submitted_master() -> str:
    """The master that spark-submit was given, which its Java process knows."""
    SparkContext._ensure_initialized()
    return str(SparkConf().get("spark.master", "local[*]"))


def _launch(settings: Mapping[str, str], said: IO[bytes] | None) -> None:
    """Start the Java process, with what it must know at its start as arguments.

    Arguments can be read by every user of the machine (ps), so secrets are not among them; the
    session is told of those afterwards.
    """
    conf = SparkConf(loadDefaults=False)
    for key, value in settings.items():
        needed_now = key.startswith(_NEEDED_AT_LAUNCH) and not is_secret_name(key)
        if needed_now or not isinstance(value, SecretText):
            conf.set(key, value)
    streams = {} if said is None else {"stderr": said}
    threading.Thread(target=_load_meanwhile, name="holdfast-imports", daemon=True).start()
    gateway = launch_gateway(conf, streams)  # type: ignore[no-untyped-call]
    SparkContext._ensure_initialized(gateway=gateway)


def _load_meanwhile() -> None:
    """Import what a start needs later anyway, while Java comes up and this process only waits."""
    for module in _LOADED_MEANWHILE:
        # A module that is not there, or not whole, is told of by whoever needs it.
        with contextlib.suppress(Exception):
            importlib.import_module(module)


def is_not_of_py4j(record: logging.LogRecord) -> bool:
    """That a call broke off when Java died it logs by the root logger; we tell that in a line."""
    return os.path.basename(os.path.dirname(record.pathname)) != "py4j"


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), "")[:200]


def _last_words(said: IO[bytes]) -> str:
    """What Java printed before it gave up, in one line."""
    said.seek(0)
    text = said.read().decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f" ({' | '.join(lines[-3:])[-_SAID_CHARACTERS_MAX:]})" if lines else ""
