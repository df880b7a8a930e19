"""Runs as a program: what is left to do of a job, once for each copy of its checkpoint.

    python -m holdfast.adapters.spark.rerun FILE JOB OUT CHECKPOINT...

Source and transform are the job's own, the rows go to OUT as JSON: for each checkpoint a list of
rows, each the text that Spark's to_json makes of it. No lease and no guard: the checkpoints must be
copies that nobody else knows of.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame

from holdfast.adapters.declarations.loading import load_declaration
from holdfast.adapters.jars import jar_settings
from holdfast.adapters.spark.query import apply_transform, read_source
from holdfast.adapters.spark.session import open_session
from holdfast.adapters.surroundings.process_environment import variables


def rerun(file: str, name: str, checkpoints: list[str]) -> list[list[str]]:
    """The rows that each copy of the checkpoint still gives."""
    declaration = load_declaration(file, environ=variables())
    jars = jar_settings(declaration, variables())
    spark = open_session({**declaration.spark, **jars}, "holdfast audit")
    (job,) = (job for job in declaration.jobs if job.name == name)
    answers = []
    for checkpoint in checkpoints:
        found: list[str] = []

        def take(batch: DataFrame, _batch_id: int, found: list[str] = found) -> None:
            found.extend(str(row) for row in batch.toJSON().collect())

        one = replace(job, checkpoint=checkpoint)
        frame = apply_transform(read_source(spark, one.source), one.transform, declaration.folder)
        writer = frame.writeStream.outputMode(one.output_mode).foreachBatch(take)
        writer = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True)
        writer.start().awaitTermination()
        answers.append(found)
    return answers


if __name__ == "__main__":
    answer = rerun(sys.argv[1], sys.argv[2], sys.argv[4:])
    Path(sys.argv[3]).write_text(json.dumps(answer), encoding="utf-8")
