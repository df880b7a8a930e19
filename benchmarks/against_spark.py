"""Spark's own reader of state metadata, session start included, on the same checkpoint."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import measure
from inputs import GOLDEN
from measure import HOLDFAST, Row

TIMES_FASTER = 20
_READER = Path(__file__).with_name("spark_reader.py")


def rows(repeat: int) -> Iterator[Row]:
    """Ask both what stateful operators there are."""
    spark = measure.timed([sys.executable, str(_READER), str(GOLDEN)], max(repeat // 2, 1))
    shown = measure.timed([HOLDFAST, "show", str(GOLDEN), "--output", "json"], repeat)
    theirs = json.loads(spark.output.splitlines()[-1])
    state = json.loads(shown.output)["result"]["state"]
    ours = [
        [operator["operator"], operator["name"], store, operator["partitions"]]
        for operator in state
        for store in operator["stores"]
    ]
    assert ours == theirs, (ours, theirs)
    yield Row(
        what="show against Spark's state-metadata reader",
        measured=spark.median_s / shown.median_s,
        bound=TIMES_FASTER,
        unit="times faster",
        at_least=True,
        note=f"Spark {spark.median_s:.1f} s, show {shown.median_s:.3f} s",
    )
