"""Advice that is common and harmful, and what it does to each kind of sink.

The facts are those of docs/checkpoint-format.md: which sink remembers batches, under which key, and
what it does with a batch that it remembers.
"""

from typing import Final

from holdfast.core.explain.explanation import Advice

DELETE_CHECKPOINT: Final = Advice(
    id="delete-checkpoint",
    advice="delete the checkpoint, or begin with a new one",
    does={
        "delta": "every row still in the source is appended a second time: the new checkpoint has "
        "a new query id, and Delta knows batches by query id",
        "delta-txn": "rows are lost without an error: batch ids begin at 0 again under the same "
        "txnAppId, and Delta drops every id that it has seen",
        "file": "rows are lost without an error: _spark_metadata knows batches by number alone and "
        "drops every number that it has",
        "iceberg": "every row still in the source is appended a second time, under a new query id",
        "kafka": "every record still in the source is sent a second time",
        "jdbc": "every row still in the source is inserted a second time",
        "foreach": "your function gets every batch from 0 on again; without a memory of its own it "
        "writes all rows twice",
    },
    instead="keep it; copy the whole folder before any change, and decide first what becomes of "
    "the output",
    fragments=(
        "delete the checkpoint",
        "delete your checkpoint",
        "deleting the checkpoint",
        "remove the checkpoint",
        "clear the checkpoint",
        "clear the existing checkpoint",
        "delete checkpoint",
        "delete … to start over",
        "rm -rf … checkpoint",
        "rm -r … checkpoint",
        "use a new checkpoint",
        "create a new checkpoint",
        "with a new checkpoint",
        "fresh checkpoint",
        "fs.rm(… checkpoint",
    ),
)

DELETE_COMMITS: Final = Advice(
    id="delete-commit-files",
    advice="delete files of commits/ to run batches again",
    does={
        "delta": "one batch at most runs again, and Delta drops it: nothing changes but the log",
        "delta-txn": "one batch at most runs again, and Delta drops it as already written",
        "file": "one batch at most runs again, and the file sink drops it as already written",
        "iceberg": "one batch at most runs again, and its commit is dropped as already there",
        "kafka": "the newest batch is sent a second time; the others stay as they are",
        "jdbc": "the newest batch is inserted a second time; the others stay as they are",
        "foreach": "your function gets the newest batch again, and none of the others",
    },
    instead="Spark looks at the newest plan only. Going back means cutting offsets/ and commits/ "
    "at the same batch and setting the sink back with them",
    fragments=(
        "delete the commit",
        "delete commit file",
        "delete the last commit",
        "deleting the last commit",
        "remove the commit",
        "deleted the latest commit",
        "rm … commits/",
    ),
)

DELETE_OFFSETS: Final = Advice(
    id="delete-offset-files",
    advice="delete files of offsets/ by hand",
    does={
        "any": "with commits/ left as it is, the newest plan that remains is written to the sink "
        "once more, and then the query fails; with metadata kept and both logs emptied, sinks that "
        "remember batches drop new rows without an error",
    },
    instead="copy the folder first; both logs are cut at the same batch or not at all",
    fragments=(
        "deleting the offset file",
        "delete the offset file",
        "delete offset file",
        "deleting offset file",
        "remove the offset file",
        "manually deleting the offset",
        "deleting the previous 2 checkpoints",
        "rm … offsets/",
    ),
)

IGNORE_LOSS: Final = Advice(
    id="fail-on-data-loss-false",
    advice="set failOnDataLoss=false",
    does={
        "any": "the query goes on from what the source still has, with one line in the log. What "
        "is missing never reaches the sink, whichever it is, and every later loss is passed over "
        "in the same silence",
    },
    instead="count first what is missing; set it for one restart only, on purpose, and take it "
    "out again",
    fragments=(
        "failondataloss=false",
        "failondataloss = false",
        'failondataloss", "false',
        'failondataloss","false',
        'failondataloss", false',
        "failondataloss to false",
        'option "failondataloss" to "false"',
        "failondataloss: false",
    ),
)

DELETE_STATE: Final = Advice(
    id="delete-state",
    advice="delete state/, or only the files that cannot be read",
    does={
        "any": "aggregates, joins and duplicate filters begin from nothing while the source goes "
        "on in the middle: results are wrong from then on, and nothing says so. Spark 4.2 and "
        "newer refuse an empty state/",
    },
    instead="restore state/ from a copy that is not older than the last finished batch",
    fragments=(
        "delete the state",
        "delete state/",
        "delete the corrupt",
        "rm … state/",
        "remove the state directory",
    ),
)

SCHEMA_CHECK_OFF: Final = Advice(
    id="schema-check-off",
    advice="set spark.sql.streaming.stateStore.stateSchemaCheck=false",
    does={
        "any": "old bytes are read as the new types: rows of garbage reach the sink, or the query "
        "dies later in a place that says nothing of the cause",
    },
    instead="bring the old schema back, or begin a new query beside the old one",
    fragments=("stateschemacheck to false", "stateschemacheck=false", "stateschemacheck … false"),
)

DELETE_SINK_LOG: Final = Advice(
    id="delete-spark-metadata",
    advice="delete _spark_metadata of the output",
    does={
        "any": "readers take every file in the folder for data, those of failed attempts too, and "
        "the file sink no longer knows which batches it has: the one in flight is written twice",
    },
    instead="restore _spark_metadata from a copy, or write to a new folder",
    fragments=("delete _spark_metadata", "delete the _spark_metadata", "rm … _spark_metadata"),
)

ADVICE: Final[tuple[Advice, ...]] = (
    DELETE_CHECKPOINT,
    DELETE_COMMITS,
    DELETE_OFFSETS,
    IGNORE_LOSS,
    DELETE_STATE,
    SCHEMA_CHECK_OFF,
    DELETE_SINK_LOG,
)
