"""What becomes of a sink's rows when its query begins again from nothing while the output stays.

The facts are those of Spark and Delta: the file sink remembers batches by their number alone, Delta
and our ledgers by query id and number, and a new checkpoint is a new query id that counts from 0.
"""

from holdfast.core.job import SinkSpec


def consequence_of_beginning_again(sink: SinkSpec) -> str:
    """One sentence for this sink, without a full stop."""
    mode = str(sink.options.get("mode", "append"))
    match sink.kind:
        case "file":
            return (
                "the file sink would drop rows without an error: its _spark_metadata knows batches "
                "by number only, and passes over every number that it has"
            )
        case "files" if not sink.options.get("shared"):
            return (
                "the files sink would refuse to write: its folder belongs to the query of the old "
                "checkpoint, and a new one has another id"
            )
        case "delta" if mode == "append":
            return (
                "Delta would get every row a second time: it knows batches by query id, and a new "
                "checkpoint has a new one"
            )
        case "files":
            return (
                "the folder would get every row a second time: its ledger knows batches by query "
                "id, and a new checkpoint has a new one"
            )
        case "sql" if mode == "append":
            return (
                "the table would get every row a second time: its ledger knows batches by query "
                "id, and a new checkpoint has a new one"
            )
        case "kafka":
            return (
                "the topic would get every row a second time: its ledger knows batches by query "
                "id, and a new checkpoint has a new one"
            )
        case "delta" | "sql":
            newer = (
                "rows that are newer by their version stay"
                if sink.options.get("version") is not None
                else "an older row would overwrite a newer one until all is done again"
            )
            return f"every row would be written over its key again; {newer}"
        case "python" | "http":
            return (
                "the target would get every row a second time: tokens are made from the query id, "
                "and a new checkpoint has a new one"
            )
        case _:
            return "rows would be written twice or dropped, whichever the sink does"
