"""Tables of their own for the trials of an audit, beside the declared one on its server."""

from sqlalchemy import delete

from holdfast.adapters.sinks import sql_ledger
from holdfast.adapters.sinks.databases.port import Database
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table.target import Target
from holdfast.adapters.sinks.sql_table.upsert import deleted_name
from holdfast.core.running.ports import TrialTarget

NAME_BYTES_MAX = 63
"""What every server takes."""


class Trials:
    """Makes and removes the tables of trials; their names end with the name of the run."""

    def __init__(self, database: Database, options: SqlSinkOptions, target: Target) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._options = options
        self._target = target

    def make(self, run: str) -> TrialTarget:
        """A table of the shape of the declared one; where that is not there, none yet."""
        name = _named(self._options.table, run)
        with self._database.writing() as connection:
            if self._target.find(connection) is not None:
                with self._database.defining(connection) as defining:
                    self._database.create_like(defining, name, self._options.table)
            self._database.commit(connection)
        options = {"table": name}
        if self._options.quarantine is not None:
            options["quarantine"] = _named(self._options.quarantine, run)
        read = self._database.reader(name)
        # A certificate names the server, and not the proxy of an audit.
        servers = {} if "verify" in self._options.url else {"url": read.partition(":")[0]}
        return TrialTarget(options=options, root=None, read=read, servers=servers)

    def end(self, run: str) -> None:
        """Remove the tables of a run and what the ledger knows of it."""
        name = _named(self._options.table, run)
        names = [name, deleted_name(name)]
        if self._options.quarantine is not None:
            names.append(_named(self._options.quarantine, run))
        with self._database.writing() as connection:
            there = set(self._database.table_names(connection))
            for table in names:
                if table in there:
                    with self._database.defining(connection) as defining:
                        self._database.run(defining, f"DROP TABLE {self._database.placed(table)}")
            for ledger in (sql_ledger.LEDGER, sql_ledger.BATCHES):
                if ledger.name in there:
                    connection.execute(delete(ledger).where(ledger.c.sink == name))
            self._database.commit(connection)


def _named(table: str, run: str) -> str:
    kept = table.encode()[: NAME_BYTES_MAX - len(run) - 1].decode(errors="ignore")
    return f"{kept}_{run}"
