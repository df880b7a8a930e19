"""Changes of what the query reads."""

import json
import os
import shutil

from scripts.matrix.mutations import commit_gone
from scripts.truth.changes.change import FILES, Act, Change
from scripts.truth.changes.logs import emptied
from scripts.truth.input_rows import BEFORE, LARGE, page
from scripts.truth.stage import Stage, write_page

SOME = (*FILES, "windows-hdfs")


def read_gone(stage: Stage) -> None:
    """Files that are done with; the newest is kept."""
    for number in range(BEFORE - 1):
        (stage.inputs["left"] / f"{number:03d}.json").unlink()


def newest_read_gone(stage: Stage) -> None:
    (stage.inputs["left"] / f"{BEFORE - 1:03d}.json").unlink()


def in_flight_gone(stage: Stage) -> None:
    """The file of the batch in flight, whose rows the sink does not have."""
    commit_gone(stage.checkpoint)
    newest_read_gone(stage)


def unwritten_gone(stage: Stage) -> None:
    """The same, where the sink had not taken the batch."""
    marks = stage.output / "_spark_metadata"
    (marks / str(BEFORE - 1)).unlink()
    (marks / f".{BEFORE - 1}.crc").unlink(missing_ok=True)
    in_flight_gone(stage)


def unread_gone(stage: Stage) -> None:
    """A file that came and was deleted before it was planned."""
    write_page(stage.inputs["left"], BEFORE, page(stage.workload, "left", BEFORE))
    (stage.inputs["left"] / f"{BEFORE:03d}.json").unlink()


def folder_moved(stage: Stage) -> None:
    """The input lies elsewhere, and the query is told so: every file is new to it."""
    there = stage.folder / "elsewhere"
    stage.inputs["left"].rename(there)
    stage.inputs["left"] = there


def folder_gone(stage: Stage) -> None:
    shutil.rmtree(stage.inputs["left"])


def touched(stage: Stage) -> None:
    """A file that was read has another modification time; its rows are the same."""
    path = stage.inputs["left"] / f"{BEFORE - 1:03d}.json"
    os.utime(path)


def altered(stage: Stage) -> None:
    """A file that was read was written again with other rows."""
    path = stage.inputs["left"] / f"{BEFORE - 1:03d}.json"
    rows = [{**json.loads(line), "value": 99} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def altered_in_flight(stage: Stage) -> None:
    """The same with the batch of that file in flight."""
    commit_gone(stage.checkpoint)
    altered(stage)


def altered_unwritten(stage: Stage) -> None:
    """The same where the sink had not taken the batch."""
    marks = stage.output / "_spark_metadata"
    (marks / str(BEFORE - 1)).unlink()
    (marks / f".{BEFORE - 1}.crc").unlink(missing_ok=True)
    altered_in_flight(stage)


def altered_same_time(stage: Stage) -> None:
    """Not in the sink, and written anew with the old modification time, as `cp -p` does."""
    path = stage.inputs["left"] / f"{BEFORE - 1:03d}.json"
    before = path.stat().st_mtime
    altered_unwritten(stage)
    os.utime(path, (before, before))


def limit_set(stage: Stage) -> None:
    stage.options["maxFilesPerTrigger"] = "1"


def limit_set_in_flight(stage: Stage) -> None:
    commit_gone(stage.checkpoint)
    limit_set(stage)


def latest_first(stage: Stage) -> None:
    stage.options["latestFirst"] = "true"


def topic_anew(stage: Stage) -> None:
    """Deleted and created again with fewer records than were read."""
    assert stage.topic is not None
    stage.topic.delete()
    stage.topic.create()
    stage.feed_more(10)


def topic_anew_longer(stage: Stage) -> None:
    """Deleted and created again, with more records than were read."""
    assert stage.topic is not None
    stage.topic.delete()
    stage.topic.create()
    stage.feed_more(*range(10, 16))


def topic_gone(stage: Stage) -> None:
    assert stage.topic is not None
    stage.topic.delete()
    stage.topic.create()


def records_read_gone(stage: Stage) -> None:
    """Retention removed only what was read."""
    assert stage.topic is not None
    stage.topic.cut(6)


def records_unread_gone(stage: Stage) -> None:
    """Retention removed what was not read yet."""
    assert stage.topic is not None
    stage.feed_more(10)
    stage.topic.cut(17)


def records_unread_gone_quietly(stage: Stage) -> None:
    """The same with failOnDataLoss=false."""
    stage.options["failOnDataLoss"] = "false"
    records_unread_gone(stage)


def partition_added(stage: Stage) -> None:
    assert stage.topic is not None
    stage.topic.add_partition()


def starting_offsets(stage: Stage) -> None:
    stage.options["startingOffsets"] = "latest"


def logs_emptied_latest(stage: Stage) -> None:
    """Both logs and sources/ emptied, and startingOffsets set to latest."""
    emptied(stage.checkpoint, "offsets", "commits", "sources")
    starting_offsets(stage)


def two_hundred_waiting(stage: Stage) -> None:
    """Both logs and sources/ emptied, and 200 new records wait to be read."""
    emptied(stage.checkpoint, "offsets", "commits", "sources")
    stage.feed_more(LARGE)


def kafka_limit(stage: Stage) -> None:
    stage.options["maxOffsetsPerTrigger"] = "4"


def _made(name: str, text: str, on: tuple[str, ...], act: Act) -> Change:
    return Change(name=name, touches="source", text=text, on=on, act=act)


KAFKA = ("kafka-delta",)
CHANGES = (
    _made("input_read_gone", "files that are done with deleted", SOME, read_gone),
    _made("input_newest_read_gone", "the newest file read deleted", SOME, newest_read_gone),
    _made("input_in_flight_gone", "the file of the batch in flight deleted", SOME, in_flight_gone),
    _made(
        "input_unwritten_gone",
        "the file of a batch in flight deleted, not in the sink",
        ("files-parquet",),
        unwritten_gone,
    ),
    _made("input_unread_gone", "a file came and went unread", FILES, unread_gone),
    _made("input_moved", "the input folder moved", SOME, folder_moved),
    _made("input_gone", "the input folder deleted", ("files-parquet",), folder_gone),
    _made("input_touched", "a file that was read touched", FILES, touched),
    _made("input_altered", "a file that was read written anew", SOME, altered),
    _made(
        "input_altered_in_flight",
        "the file of the batch in flight written anew",
        FILES,
        altered_in_flight,
    ),
    _made(
        "input_altered_unwritten",
        "the same, and the batch is not in the sink",
        ("files-parquet",),
        altered_unwritten,
    ),
    _made(
        "input_altered_same_time",
        "the same, with its old modification time",
        ("files-parquet",),
        altered_same_time,
    ),
    _made("limit_set", "maxFilesPerTrigger set", SOME, limit_set),
    _made(
        "limit_set_in_flight",
        "maxFilesPerTrigger set with a batch in flight",
        ("files-parquet",),
        limit_set_in_flight,
    ),
    _made("latest_first", "latestFirst set", ("files-parquet",), latest_first),
    _made("topic_anew", "the topic created again with fewer records", KAFKA, topic_anew),
    _made("topic_anew_longer", "the topic created again with more", KAFKA, topic_anew_longer),
    _made("topic_emptied", "the topic created again, empty", KAFKA, topic_gone),
    _made("records_read_gone", "retention removed what was read", KAFKA, records_read_gone),
    _made("records_unread_gone", "retention removed the unread", KAFKA, records_unread_gone),
    _made(
        "records_unread_gone_quietly",
        "the same with failOnDataLoss=false",
        KAFKA,
        records_unread_gone_quietly,
    ),
    _made("partition_added", "a partition added to the topic", KAFKA, partition_added),
    _made("starting_offsets", "startingOffsets changed", KAFKA, starting_offsets),
    _made(
        "logs_emptied_latest",
        "logs and sources/ emptied, startingOffsets latest",
        KAFKA,
        logs_emptied_latest,
    ),
    _made(
        "two_hundred_waiting",
        "logs and sources/ emptied, 200 new records wait",
        (*KAFKA, "files-delta", "files-deltatxn", "files-parquet", "files-foreach"),
        two_hundred_waiting,
    ),
    _made("kafka_limit", "maxOffsetsPerTrigger set", KAFKA, kafka_limit),
)
