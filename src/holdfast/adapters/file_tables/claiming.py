"""Whose a table of plain files is: the first query's, unless several may share it."""

from holdfast.adapters.file_tables.ledger import claim, owner_of
from holdfast.adapters.file_tables.place import Place
from holdfast.core.running.file_ledger import Owner
from holdfast.errors import RefusedError

_SPARK_LOG = "_spark_metadata"


def claim_table(place: Place, ours: Owner, shown: str) -> None:
    """Make the folder ours where it is nobody's; raises RefusedError where it is not for us."""
    if place.holds(_SPARK_LOG):
        raise RefusedError(
            f"the folder belongs to Spark's own file sink: it has a {_SPARK_LOG}, and Spark reads "
            "there nothing but what that lists",
            subject=shown,
            next_action="name another folder, or go on with kind: file",
        )
    owner = owner_of(place.records)
    if owner is None:
        there = place.foreign()
        if there is not None:
            raise RefusedError(
                f"the folder holds {there!r}, which is not of this sink: readers could not tell "
                "its rows from ours",
                subject=shown,
                next_action="name an empty folder, or one that does not exist",
            )
        owner = claim(place.records, ours)
    if owner.query != ours.query:
        whose = "several queries (shared: true)" if owner.query is None else f"query {owner.query}"
        raise RefusedError(
            f"the folder belongs to {whose}: with the rows of this one they would be there twice, "
            "or mixed",
            subject=shown,
            next_action="name another folder; after a new checkpoint that is a new query",
        )
    if owner != ours:
        raise RefusedError(
            f"the table was begun as {_shape(owner)}, and is now declared as {_shape(ours)}",
            subject=shown,
            next_action="declare it as it was begun, or name another folder",
        )


def _shape(owner: Owner) -> str:
    by = f", partitioned by {', '.join(owner.partition_by)}" if owner.partition_by else ""
    return f"{owner.format}{by}, with batch_column {owner.batch_column}"
