"""What a look at many files of a checkpoint gathers: little per file, for there may be many."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.core.finding import Finding
from holdfast.core.formats.commit_log import CommitEntry, UniqueIds
from holdfast.core.formats.delta_schema_log import DeltaSchemaEntry
from holdfast.core.formats.offset_log import OffsetEntry
from holdfast.core.formats.rocksdb_zip import RocksDbSnapshot
from holdfast.core.limits import UNIQUE_IDS_MAX
from holdfast.core.parts import PartCheck, part_of
from holdfast.core.pinned_conf import partitions_of
from holdfast.core.reading.file_check import CheckedFile
from holdfast.core.tree import Tree

WARNINGS_MAX = 100
"""Problems that are named one by one; a broken disk would name every file."""


@dataclass(slots=True)
class History:
    """Collects facts from checked files, newest first."""

    partitions_by_batch: dict[int, int] = field(default_factory=dict)
    sources_by_batch: dict[int, int] = field(default_factory=dict)
    unique_ids: dict[int, Mapping[int, UniqueIds]] = field(default_factory=dict)
    broken_state: set[str] = field(default_factory=set)
    delta_source_paths: dict[str, str] = field(default_factory=dict)
    warnings: list[Finding] = field(default_factory=list)
    suppressed: int = 0
    _unique_ids_kept: int = 0
    _seen: set[str] = field(default_factory=set)
    _read: dict[str, int] = field(default_factory=dict)
    _verified: dict[str, int] = field(default_factory=dict)
    _failed: dict[str, int] = field(default_factory=dict)
    _sealed: dict[str, int] = field(default_factory=dict)

    def add(self, checked: CheckedFile, tree: Tree) -> None:
        """Take in one checked file; the second time the same file counts nothing."""
        if checked.path in self._seen:
            return
        self._seen.add(checked.path)
        part = part_of(checked.path)
        self._read[part] = self._read.get(part, 0) + 1
        self._verified[part] = self._verified.get(part, 0) + checked.verified
        self._failed[part] = self._failed.get(part, 0) + bool(checked.problems)
        self._sealed[part] = self._sealed.get(part, 0) + checked.sealed
        for problem in checked.problems:
            self._warn(problem)
        if checked.problems and part == "state":
            self.broken_state.add(checked.path)
        if checked.path.endswith(".zip"):
            self._check_snapshot(checked, tree)
        self._remember(checked)

    def fail(self, warning: Finding) -> None:
        """Take in a file that could not be had at all."""
        if warning.path not in self._seen:
            self._seen.add(warning.path)
            part = part_of(warning.path)
            self._failed[part] = self._failed.get(part, 0) + 1
            self._warn(warning)

    def part_check(self, part: str, files: int) -> PartCheck:
        """How much of a part was looked at, out of `files` that could be."""
        return PartCheck(
            files=files,
            read=self._read.get(part, 0),
            verified=self._verified.get(part, 0),
            failed=self._failed.get(part, 0),
            sealed=self._sealed.get(part, 0),
        )

    def _warn(self, warning: Finding) -> None:
        if len(self.warnings) < WARNINGS_MAX:
            self.warnings.append(warning)
        else:
            self.suppressed += 1

    def _remember(self, checked: CheckedFile) -> None:
        parsed = checked.parsed
        if isinstance(parsed, OffsetEntry):
            batch = int(checked.path.rpartition("/")[2])
            self.sources_by_batch[batch] = len(parsed.sources)
            partitions = partitions_of(parsed.conf)
            if partitions is not None:
                self.partitions_by_batch[batch] = partitions
        elif isinstance(parsed, DeltaSchemaEntry):
            self.delta_source_paths[checked.path] = parsed.source_metadata_path
        elif isinstance(parsed, CommitEntry) and parsed.state_unique_ids:
            self._keep_ids(int(checked.path.rpartition("/")[2]), parsed.state_unique_ids)

    def _keep_ids(self, batch: int, by_operator: Mapping[int, UniqueIds]) -> None:
        """Keep the ids of the newest commits, which come first, until there are too many."""
        count = sum(len(stores) for ids in by_operator.values() for stores in ids)
        if self._unique_ids_kept + count <= UNIQUE_IDS_MAX:
            self._unique_ids_kept += count
            self.unique_ids[batch] = by_operator

    def _check_snapshot(self, checked: CheckedFile, tree: Tree) -> None:
        """A snapshot whose table files are gone is no snapshot (RocksDBFileManager.loadFiles)."""
        if not isinstance(checked.parsed, RocksDbSnapshot):
            return
        store = checked.path.rpartition("/")[0]
        tables, logs = set(tree.names(f"{store}/SSTs")), set(tree.names(f"{store}/logs"))
        missing = [
            f"SSTs/{f.dfs_name}" for f in checked.parsed.sst_files if f.dfs_name not in tables
        ]
        missing += [
            f"logs/{f.dfs_name}" for f in checked.parsed.log_files if f.dfs_name not in logs
        ]
        if missing:
            self.broken_state.add(checked.path)
            text = f"refers to {missing[0]}, which is not there ({len(missing)} missing in all)"
            self._warn(Finding(code="HF118", message=text, path=checked.path))
