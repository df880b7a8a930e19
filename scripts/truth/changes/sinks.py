"""Changes of the sink: its table, its memory, its place."""

import json
import shutil
import time
from pathlib import Path

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from scripts.matrix.mutations import commit_gone, newest, remove
from scripts.truth.changes.change import DELTA, FILES, Act, Change
from scripts.truth.changes.logs import cut, torn
from scripts.truth.stage import Stage

NATIVE = ("files-delta",)
ALL_DELTA = (*DELTA, "kafka-delta")
PARQUET = ("files-parquet", "windows-hdfs")


def deleted(stage: Stage) -> None:
    shutil.rmtree(stage.output)


def deleted_in_flight(stage: Stage) -> None:
    commit_gone(stage.checkpoint)
    shutil.rmtree(stage.output)


def data_gone(stage: Stage) -> None:
    """The data files deleted, the memory kept."""
    for path in list(stage.output.glob("*.parquet")):
        remove(path)


def memory_gone(stage: Stage) -> None:
    shutil.rmtree(stage.output / "_spark_metadata")


def memory_gone_in_flight(stage: Stage) -> None:
    commit_gone(stage.checkpoint)
    memory_gone(stage)


def memory(stage: Stage) -> Path:
    return newest(stage.output / "_spark_metadata")


def newest_mark_gone(stage: Stage) -> None:
    remove(memory(stage))


def newest_mark_gone_in_flight(stage: Stage) -> None:
    """Killed before the sink was done: nothing of the batch is there."""
    commit_gone(stage.checkpoint)
    remove(memory(stage))


def newest_mark_torn(stage: Stage) -> None:
    torn(memory(stage))


def old_mark_gone(stage: Stage) -> None:
    remove(stage.output / "_spark_metadata" / "1")


def ahead(stage: Stage) -> None:
    """The memory has a batch that the checkpoint has not planned."""
    path = memory(stage)
    path.with_name(str(int(path.name) + 1)).write_text("v1")


def emptied(stage: Stage) -> None:
    stage.sql("DELETE FROM {table}")


def restored(stage: Stage) -> None:
    stage.sql("RESTORE TABLE {table} TO VERSION AS OF 2")


def replaced(stage: Stage) -> None:
    """Another table of the same shape in the same place."""
    schema = DeltaTable(str(stage.output)).schema()
    shutil.rmtree(stage.output)
    DeltaTable.create(str(stage.output), schema=schema)


def key_of(stage: Stage) -> str:
    if stage.workload.sink == "delta-txn":
        return stage.app
    return str(json.loads((stage.checkpoint / "metadata").read_text())["id"])


def set_mark(stage: Stage, batch: int) -> None:
    """Lower or raise what the table remembers, with an empty commit of delta-rs."""
    table = DeltaTable(str(stage.output))
    empty = pa.table(table.to_pyarrow_table().slice(0, 0))
    mark = Transaction(key_of(stage), batch, int(time.time() * 1000))
    properties = CommitProperties(app_transactions=[mark])
    write_deltalake(table, empty, mode="append", commit_properties=properties)


def lowered(stage: Stage) -> None:
    set_mark(stage, 2)


def lowered_in_flight(stage: Stage) -> None:
    commit_gone(stage.checkpoint)
    set_mark(stage, 2)


def raised(stage: Stage) -> None:
    set_mark(stage, 7)


def rewound(stage: Stage) -> None:
    """Done properly: both logs cut, the table restored, its mark lowered."""
    cut(stage.checkpoint, "offsets", "commits")
    history = DeltaTable(str(stage.output)).history()
    version = next(
        each["version"]
        for each in history
        if str(each.get("operationParameters", {}).get("epochId")) == "2"
    )
    stage.sql(f"RESTORE TABLE {{table}} TO VERSION AS OF {version}")
    set_mark(stage, 2)


def rewound_not_lowered(stage: Stage) -> None:
    """The same without lowering the mark."""
    cut(stage.checkpoint, "offsets", "commits")
    stage.sql("RESTORE TABLE {table} TO VERSION AS OF 2")


def forgetful(stage: Stage) -> None:
    """The table forgets writers soon, and that time is over."""
    stage.sql(
        "ALTER TABLE {table} SET TBLPROPERTIES "
        "('delta.setTransactionRetentionDuration' = 'interval 1 second')"
    )
    time.sleep(1.5)


def forgetful_in_flight(stage: Stage) -> None:
    commit_gone(stage.checkpoint)
    forgetful(stage)


def retention_long(stage: Stage) -> None:
    commit_gone(stage.checkpoint)
    stage.sql(
        "ALTER TABLE {table} SET TBLPROPERTIES "
        "('delta.setTransactionRetentionDuration' = 'interval 30 days')"
    )


def optimized(stage: Stage) -> None:
    stage.sql("OPTIMIZE {table}")


def reset_app(stage: Stage) -> None:
    """Checkpoint and table both deleted: begun anew."""
    shutil.rmtree(stage.checkpoint)
    shutil.rmtree(stage.output)


def app_changed(stage: Stage) -> None:
    stage.app = "another-app"


def app_changed_in_flight(stage: Stage) -> None:
    commit_gone(stage.checkpoint)
    stage.app = "another-app"


def _made(name: str, text: str, on: tuple[str, ...], act: Act) -> Change:
    return Change(name=name, touches="sink", text=text, on=on, act=act)


CHANGES = (
    _made("sink_deleted", "the whole table deleted", (*FILES, *DELTA, "windows-hdfs"), deleted),
    _made(
        "sink_deleted_in_flight",
        "the whole table deleted with a batch in flight",
        (*FILES, *DELTA),
        deleted_in_flight,
    ),
    _made("sink_data_gone", "data files deleted, memory kept", ("files-parquet",), data_gone),
    _made("sink_memory_gone", "_spark_metadata deleted", PARQUET, memory_gone),
    _made(
        "sink_memory_gone_in_flight",
        "_spark_metadata deleted with a batch in flight",
        PARQUET,
        memory_gone_in_flight,
    ),
    _made("sink_mark_gone", "newest of _spark_metadata deleted", PARQUET, newest_mark_gone),
    _made(
        "sink_mark_gone_in_flight",
        "killed before the sink was done",
        (*PARQUET, "windows-rocks2"),
        newest_mark_gone_in_flight,
    ),
    _made("sink_mark_torn", "newest of _spark_metadata cut off", PARQUET, newest_mark_torn),
    _made("sink_old_mark_gone", "an old one of _spark_metadata gone", PARQUET, old_mark_gone),
    _made("sink_ahead", "the sink remembers a batch not yet planned", PARQUET, ahead),
    _made("table_emptied", "all rows deleted from the table", DELTA, emptied),
    _made("table_restored", "the table restored to an older version", ALL_DELTA, restored),
    _made("table_replaced", "another table in its place", DELTA, replaced),
    _made("mark_lowered", "the table's mark lowered, logs as they were", DELTA, lowered),
    _made(
        "mark_lowered_in_flight",
        "the table's mark lowered with a batch in flight",
        DELTA,
        lowered_in_flight,
    ),
    _made("mark_raised", "the table remembers batches not yet planned", DELTA, raised),
    _made(
        "rewound",
        "logs cut, table restored, mark lowered",
        ("files-delta", "kafka-delta"),
        rewound,
    ),
    _made("rewound_not_lowered", "logs cut, table restored, mark kept", DELTA, rewound_not_lowered),
    _made("forgetful", "the table forgets writers, time is over", DELTA, forgetful),
    _made(
        "forgetful_in_flight",
        "the table forgets writers, with a batch in flight",
        DELTA,
        forgetful_in_flight,
    ),
    _made(
        "retention_long_in_flight",
        "the table forgets writers after 30 days, batch in flight",
        NATIVE,
        retention_long,
    ),
    _made("optimized", "the table was optimised", DELTA, optimized),
    _made("begun_anew", "checkpoint and table both deleted", (*FILES, *DELTA), reset_app),
    _made("app_changed", "another txnAppId", ("files-deltatxn",), app_changed),
    _made(
        "app_changed_in_flight",
        "another txnAppId with a batch in flight",
        ("files-deltatxn",),
        app_changed_in_flight,
    ),
)
