"""Ask Spark's own state readers about finished checkpoints: `python read_state.py VERSION CASE...`.

They are asked about the working folder after it has been copied to the repository, for two
reasons: readers before 4.3 create directories inside the checkpoint, and operator metadata v2
holds absolute paths, which are true in the working folder only.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from places import Place
from pyspark.sql import DataFrame, SparkSession
from reasons import reason
from registry import load
from run_session import settings
from stage import session

CONTENT_LIMIT = 40
Options = dict[str, str]


def main(version: str, names: list[str]) -> None:
    spark = session()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    # The state readers need the state store coordinator, which 4.2 starts with the streaming
    # manager of the session: without this every read fails with RpcEndpointNotFoundException.
    assert not spark.streams.active
    cases = load()
    for name in names:
        place = Place(version=version, case=name)
        # 4.0 to 4.2 take the version of the commit log from the session, not from the files.
        with settings(spark, cases[name].conf):
            place.state_facts.write_text(json.dumps(ask(spark, place)))
        print(f"{version} {name}: state read", flush=True)
    spark.stop()


def ask(spark: SparkSession, place: Place) -> dict[str, Any]:
    """Everything the two readers say about one checkpoint."""
    path = str(place.checkpoint)
    try:
        rows = spark.read.format("state-metadata").load(path).collect()
    except Exception as error:
        return {"state_metadata_error": reason(error)}
    metadata = [row.asDict() for row in rows]
    if not metadata:
        return {}
    facts = json.loads(place.facts.read_text())
    told = [event["batchId"] for event in facts["progress"]] + [facts["in_flight"] or 0]
    newest = max([row["maxBatchId"] for row in metadata] + told)
    answer: dict[str, Any] = {
        "state_metadata": metadata,
        "state_readable_batches": {},
        "state_row_counts": {},
        "state_content": {},
        "state_reader_errors": {},
    }
    for operator in sorted({row["operatorId"] for row in metadata}):
        mine = [row for row in metadata if row["operatorId"] == operator]
        read_operator(spark, path, operator, views(mine), newest, answer)
    return {key: value for key, value in answer.items() if value}


def views(rows: list[dict[str, Any]]) -> list[Options]:
    """The reads that together show the whole state of one operator."""
    name = rows[0]["operatorName"]
    if name == "symmetricHashJoin":
        return [{"joinSide": "left"}, {"joinSide": "right"}]
    if name.startswith("transformWithState"):
        properties = json.loads(rows[0]["operatorProperties"])
        variables = properties["stateVariables"]
        if isinstance(variables, str):
            variables = json.loads(variables)
        return [{"stateVarName": variable["stateName"]} for variable in variables]
    return [{}]


def read_operator(
    spark: SparkSession,
    path: str,
    operator: int,
    reads: list[Options],
    newest: int,
    answer: dict[str, Any],
) -> None:
    """Try every batch id there may be; a batch counts as readable when all its views are."""
    readable: list[int] = []
    counts: dict[str, int] = {}
    errors: dict[str, str] = {}
    for batch in range(newest + 1):
        try:
            counts[str(batch)] = sum(
                state(spark, path, operator, batch, options).count() for options in reads
            )
            readable.append(batch)
        except Exception as error:
            errors[str(batch)] = reason(error)
    key = str(operator)
    answer["state_readable_batches"][key] = readable
    answer["state_row_counts"][key] = counts
    if errors:
        answer["state_reader_errors"][key] = errors
    if readable:
        answer["state_content"][key] = {
            "batch": readable[-1],
            "views": [
                {**options, "rows": content(state(spark, path, operator, readable[-1], options))}
                for options in reads
            ],
        }


def state(spark: SparkSession, path: str, operator: int, batch: int, options: Options) -> DataFrame:
    reader = spark.read.format("statestore").option("operatorId", operator)
    return reader.option("batchId", batch).options(**options).load(path)


def content(frame: DataFrame) -> list[Any]:
    """The rows as JSON values, sorted so that two makings compare.

    Not through Spark's to_json: the rows of join state hold one field more than the reader's
    schema says (whether the row was matched), and to_json counts the fields of the row.
    """
    rows = [row.asDict(recursive=True) for row in frame.take(CONTENT_LIMIT)]
    lines = sorted(json.dumps(row, default=str, sort_keys=True) for row in rows)
    return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
