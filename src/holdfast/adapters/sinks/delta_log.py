"""The log of a Delta table, through the Delta that runs inside Spark.

What is needed here, no statement of SQL can do: read which transaction version the table remembers
for an application, and raise it in a transaction that fails if anybody else raised it meanwhile.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from holdfast.adapters.sinks.delta_mark import DeltaMark, mark_of, read_note
from holdfast.errors import NotInstalledError, RefusedError, UnreachableError

SparkFailure = (Py4JJavaError, PySparkException)
"""How a failure inside Spark reaches Python."""

RETENTION = "delta.setTransactionRetentionDuration"

_COMMITS_LOOKED_AT = 200
"""A batch that Spark replays is among the last commits, whoever else writes."""
_CAUSES_MAX = 20
_RAISES_MAX = 20
"""Times that others may come in between; each one is a batch of another writer."""


class DeltaLog:
    """The log of one table, looked at from one session."""

    def __init__(self, spark: SparkSession, path: str, shown: str) -> None:
        """`shown` is what an error may call it. Raises NotInstalledError without Delta's jars."""
        self._spark = spark
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._shown = shown
        try:
            found: Any = self._jvm.org.apache.spark.sql.delta.DeltaLog
            self._log: Any = found.forTable(spark._jsparkSession, str(path))
        except TypeError as error:  # py4j takes a class that is not there for a package
            raise NotInstalledError(
                "this Spark has no Delta: its jars are not loaded",
                subject=shown,
                next_action="run `holdfast doctor`: it says which jars are missing",
            ) from error

    def exists(self) -> bool:
        """Whether there is a table."""
        return int(self._snapshot().version()) >= 0

    def other_file(self) -> str | None:
        """A file in the folder that is no part of a table; None where there is none.

        Names that begin with `_` or `.` are passed over, as Delta and Spark do.
        """
        folder = self._log.dataPath()
        system = folder.getFileSystem(self._spark._jsc.hadoopConfiguration())
        if not system.exists(folder):
            return None
        names = sorted(str(entry.getPath().getName()) for entry in system.listStatus(folder))
        return next((name for name in names if not name.startswith(("_", "."))), None)

    def schema(self) -> StructType:
        """Its columns now."""
        return StructType.fromJson(json.loads(self._snapshot().schema().json()))

    def properties(self) -> Mapping[str, str]:
        """Its table properties now."""
        return dict(_java_map(self._jvm, self._snapshot().metadata().configuration()))

    def check_retention(self, name: str) -> None:
        """Raises RefusedError where the table forgets its marks after a while."""
        if RETENTION in self.properties():
            raise RefusedError(
                f"table {name!r} forgets its marks: it has the property {RETENTION}, and a "
                "batch whose mark is forgotten would be written twice",
                subject=self._shown,
                next_action=f"ALTER TABLE … UNSET TBLPROPERTIES ('{RETENTION}')",
            )

    def mark(self, application: str) -> DeltaMark | None:
        """What the table remembers of an application now, None where it knows nothing of it."""
        found = self._snapshot().transactions().get(application)
        return mark_of(int(found.get())) if found.isDefined() else None

    def told(self, table: str, query_id: str, batch_id: int) -> Mapping[str, Any] | None:
        """What the newest commit of a batch says of it; None where it is not among the last ones.

        `table` is the table as a statement names it.
        """
        history = self._spark.sql(f"DESCRIBE HISTORY {table} LIMIT {_COMMITS_LOOKED_AT}")
        for row in history.orderBy("version", ascending=False).select("userMetadata").collect():
            said = read_note(row[0])
            if said.get("query") == query_id and said.get("batch") == batch_id:
                return said
        return None

    def raise_mark(
        self,
        application: str,
        raised: Callable[[DeltaMark | None], DeltaMark | None],
        now_ms: Callable[[], int],
    ) -> None:
        """Commit the mark that `raised` makes of the present one; nothing where it gives None.

        Reading and writing are one transaction. Where somebody else commits under the same
        application in between, Delta refuses ours, and it is done again from what is there then:
        no batch that came in meanwhile can be forgotten.
        """
        for _ in range(_RAISES_MAX):
            transaction = self._log.startTransaction()
            version = int(transaction.txnVersion(application))
            new = raised(mark_of(version) if version >= 0 else None)
            if new is None:
                return
            try:
                self._commit(transaction, application, new, now_ms())
                return
            except SparkFailure as error:
                if "ConcurrentTransactionException" not in failure_names(error):
                    raise
        raise UnreachableError(
            f"the fence of the table could not be raised: another writer committed {_RAISES_MAX} "
            "times in between",
            subject=self._shown,
            next_action="end the other start of this query, then start again",
        )

    def _commit(self, transaction: Any, application: str, mark: DeltaMark, now: int) -> None:
        jvm = self._jvm
        delta = jvm.org.apache.spark.sql.delta
        action = delta.actions.SetTransaction(
            application, mark.version, jvm.scala.Option.apply(now)
        )
        actions = jvm.java.util.ArrayList()
        actions.add(action)
        several = jvm.scala.jdk.javaapi.CollectionConverters.asScala(actions).toList()
        operation = getattr(getattr(delta, "DeltaOperations$ManualUpdate$"), "MODULE$")
        transaction.commit(several, operation)

    def _snapshot(self) -> Any:
        none = self._jvm.scala.Option.empty()
        return self._log.update(False, none, none)


def failure_names(error: BaseException) -> tuple[str, ...]:
    """The names of the Java classes of a failure and of its causes, outermost first."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    names: list[str] = []
    while java is not None and len(names) < _CAUSES_MAX:
        names.append(str(java.getClass().getSimpleName()))
        java = java.getCause()
    return tuple(names)


def _java_map(jvm: Any, scala_map: Any) -> Mapping[str, str]:
    found: Mapping[str, str] = jvm.scala.jdk.javaapi.CollectionConverters.asJava(scala_map)
    return found
