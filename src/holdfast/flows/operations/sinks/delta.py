"""A Delta table goes back to the version before the batches that are done again.

A query that is cut meets the same batch ids again, so what the table remembers goes back as well.
One that goes forward comes with higher ids; its mark is raised to the first synthetic batch, so
that a later look at the history tells the versions before the replay from those after it.
"""

import importlib
from urllib.parse import unquote

from holdfast.adapters.storage.opening import local_path
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.fact import Known
from holdfast.core.job import SinkSpec
from holdfast.core.plans.correction import Correction, Way
from holdfast.core.plans.plan import Hazard, SinkFate
from holdfast.core.plans.requirement import SinkIs
from holdfast.core.plans.step import RestoreTable
from holdfast.core.plans.table_span import TableSpan
from holdfast.core.secret_text import SecretText, without_password
from holdfast.errors import RefusedError
from holdfast.flows.operations.viewing import View

_READERS = (
    "a stream that reads this table meets the removal, and stops unless it skips such commits"
)


def correct_delta(
    view: View, memory: SinkMemory, named: str | SinkSpec, keep: int, *, must_cut: bool
) -> Correction:
    """Restore the table and its mark by one commit; forward without it only where accepted."""
    path, app = _where(named)
    spans = importlib.import_module("holdfast.adapters.memories.delta_span")
    ledger = memory.skips == "checked" if app is None else None
    span: TableSpan | None = spans.span_after(path, view.query_id, keep, app=app, ledger=ledger)
    way: Way = "cut" if must_cut else "forward"
    last = memory.last.value if isinstance(memory.last, Known) else None
    spelled = f"delta:{path}" if app is None else f"delta-txn:{path}?app={app}"
    needs = SinkIs(sink=spelled, query_id=view.query_id, last=last, version=memory.version)
    if span is None or span.to_version is None:
        return Correction(
            way=way,
            reason=f"the table holds nothing after batch {keep:,}",
            fate=SinkFate(sink=memory.sink, says="nothing is taken out", removed=0, duplicated=0),
            requirements=(needs,),
        )
    # An undo would put the mark of an earlier epoch back, and with it lower the fence.
    hinders = "its marks carry the epoch of the lease" if span.packed else span.hinders
    if hinders is not None:
        return _hindered(memory, named, hinders, needs, must_cut=must_cut)
    removed = None if span.rows is None or span.rows_kept is None else span.rows - span.rows_kept
    says = f"restored to version {span.to_version:,}, the last without a batch after {keep:,}"
    return Correction(
        way=way,
        reason="nobody else wrote to the table since, so its earlier version is exact",
        fate=SinkFate(
            sink=memory.sink, says=says, removed=removed, kept=span.rows_kept, duplicated=0
        ),
        steps=(
            RestoreTable(
                place=span.place,
                version=span.version,
                to_version=span.to_version,
                app=span.app,
                mark=span.mark,
                to_mark=_mark(view, keep, must_cut=must_cut),
                says=f"{memory.sink}: restore version {span.to_version:,}, by one commit",
            ),
        ),
        requirements=(needs,),
        notes=(_READERS,),
    )


def _mark(view: View, keep: int, *, must_cut: bool) -> int:
    return keep if must_cut else (view.taken.evidence.offsets.newest or 0) + 1


def _hindered(
    memory: SinkMemory,
    named: str | SinkSpec,
    hinders: str,
    needs: SinkIs,
    *,
    must_cut: bool,
) -> Correction:
    reason = f"the table cannot go back to an earlier version: {hinders}"
    if must_cut:
        raise RefusedError(
            f"{reason}; and a query with state has to write the same batches again",
            subject=memory.sink,
            next_action="holdfast plan reset, or a later batch",
        )
    if isinstance(named, SinkSpec) and named.options.get("mode") == "upsert":
        return Correction(
            way="forward",
            reason=f"{reason}; it upserts by key, so rows that come again replace themselves",
            fate=SinkFate(sink=memory.sink, says="upserted again by key", removed=0, duplicated=0),
            requirements=(needs,),
        )
    return Correction(
        way="forward",
        reason=reason,
        fate=SinkFate(sink=memory.sink, says="rows of the batches done again are there twice"),
        hazards=(Hazard(code="HF601", message=f"{memory.sink}: {reason}"),),
        requirements=(needs,),
    )


def _where(named: str | SinkSpec) -> tuple[str, str | None]:
    """The folder, and the id that code of one's own writes under; never a secret."""
    if isinstance(named, SinkSpec):
        given, app = named.options.get("path"), None
    else:
        kind, _, rest = named.partition(":")
        folder, _, id_ = rest.rpartition("?app=") if kind == "delta-txn" else (rest, "", "")
        given, app = folder, unquote(id_) if id_ else None
    if (
        not isinstance(given, str)
        or isinstance(given, SecretText)
        or without_password(given) != given
    ):
        raise RefusedError(
            "the location of the table holds a secret, which no plan may carry",
            next_action="name the table without it; credentials come from the environment",
        )
    here = local_path(given)
    # A plan may be carried out from another folder.
    return given if here is None else str(here.absolute()), app
