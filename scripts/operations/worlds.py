"""Worlds on which operations are killed: a copy of a checkpoint, a plan for it, all as bytes."""

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast.adapters.plan_file import plan_id, write_plan
from holdfast.adapters.records.opening import open_records
from holdfast.core.plans.hazard import HAZARDS
from holdfast.core.plans.plan import Plan
from holdfast.flows.evidence import Asked
from holdfast.flows.journal import read_journal
from holdfast.flows.operations.replay import plan_replay
from holdfast.flows.operations.retry import plan_retry
from holdfast.flows.operations.viewing import View, view

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden" / "4.2.0"
ALL = tuple(HAZARDS)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One operation on one checkpoint."""

    operation: str
    what: str
    """The kind of checkpoint, in words."""
    golden: str
    make: Callable[[View], Plan]

    def __str__(self) -> str:
        return f"{self.operation}-{self.golden}"


def newest_replay(look: View) -> Plan:
    newest = look.taken.evidence.offsets.newest
    assert newest
    return plan_replay(look, newest)


CASES = (
    Case(operation="replay", what="no state", golden="foreach_batch", make=newest_replay),
    Case(operation="replay", what="batch in flight", golden="killed_in_sink", make=newest_replay),
    Case(
        operation="replay",
        what="state, HDFS-backed",
        golden="agg_watermark_hdfs",
        make=newest_replay,
    ),
    Case(operation="replay", what="state, RocksDB", golden="agg_rocksdb", make=newest_replay),
    Case(
        operation="replay",
        what="state, RocksDB, format 2",
        golden="agg_rocksdb_format2",
        make=newest_replay,
    ),
    Case(operation="retry", what="no state", golden="foreach_batch", make=plan_retry),
    Case(operation="retry", what="state, RocksDB", golden="agg_rocksdb", make=plan_retry),
)
"""One line for each operation and kind of checkpoint; the sweep takes them as they are."""


class World:
    """A folder with a checkpoint in `base/job`; it can be put back to any state it was in."""

    def __init__(self, folder: Path, case: Case) -> None:
        self.folder = Path(os.path.realpath(folder))
        self.base = self.folder / "base"
        self.checkpoint = self.base / "job"
        self.said = self.folder / "said"
        self.file = self.folder / "plan.json"
        shutil.copytree(GOLDEN / case.golden / "checkpoint", self.checkpoint)
        self.keep("first")
        self.first = self.digests()
        self.plan = case.make(view(Asked(target=str(self.checkpoint), sinks=("none",)), ALL))
        self.operation = plan_id(self.plan)
        write_plan(self.plan, str(self.file))

    @property
    def apply(self) -> list[str]:
        return ["apply", str(self.file), "--reason", "killed"]

    @property
    def undo(self) -> list[str]:
        return ["undo", self.operation, "--checkpoint", str(self.checkpoint)]

    def keep(self, name: str) -> None:
        """Remember everything, records too, as a state to come back to."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.base, self.folder / name, symlinks=True)

    def back_to(self, name: str) -> None:
        shutil.rmtree(self.base)
        shutil.copytree(self.folder / name, self.base, symlinks=True)

    def digests(self) -> dict[str, str]:
        """Every file of the checkpoint, hidden ones too."""
        return {
            str(path.relative_to(self.checkpoint)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.checkpoint.rglob("*"))
            if path.is_file()
        }

    def is_open(self) -> bool:
        """Whether the journal still has an operation that stopped half-way."""
        return read_journal(open_records(str(self.checkpoint))).open is not None

    def talk(self) -> str:
        return self.said.read_text(errors="replace")
