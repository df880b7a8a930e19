"""Run cases in one Spark session: `python run_session.py VERSION KIND CASE...`.

Started by make.py with the interpreter of that Spark version. A case that fails says why in the
outcomes file and does not stop the others.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from places import WORK, Place
from pyspark.sql import SparkSession
from reasons import reason
from registry import Case, load
from settings import SETTINGS
from stage import Stage, session


def main(version: str, kind: str, names: list[str]) -> None:
    """Make each named case, and leave outcomes-KIND.json behind."""
    cases = load()
    outcomes: dict[str, str] = {}
    path = WORK / version / f"outcomes-{kind}.json"
    spark = session(**SETTINGS.get(kind, {}))
    for name in names:
        began = time.monotonic()
        outcomes[name] = attempt(spark, cases[name], Place(version=version, case=name))
        path.write_text(json.dumps(outcomes))
        print(f"{version} {name}: {outcomes[name]} ({time.monotonic() - began:.1f} s)", flush=True)
    spark.stop()


def attempt(spark: SparkSession, case: Case, place: Place) -> str:
    """Make one case; "ok", or the first line of what went wrong."""
    stage = Stage(spark, place)
    if case.process != "continued" or not stage.resume():
        place.clear()
    stage.note = case.note
    try:
        with settings(spark, case.conf):
            case.run(stage)
    except Exception as error:
        traceback.print_exc(limit=4)
        return reason(error)
    finally:
        for query in spark.streams.active:
            query.stop()
    stage.save()
    return "ok"


@contextmanager
def settings(spark: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    """Set a case's own settings and take them away again, for the session is shared."""
    before = {key: spark.conf.get(key, None) for key in conf}
    try:
        for key, value in conf.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, value in before.items():
            if value is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, value)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
