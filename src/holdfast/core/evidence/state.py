"""What lies in state/: operators, their stores, and after which batches they can be loaded."""

from dataclasses import dataclass

from holdfast.core.fact import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRange:
    """First and last batch, both included."""

    first: int
    last: int

    def holds(self, batch: int) -> bool:
        """Whether the batch is one of them."""
        return self.first <= batch <= self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """One state store of an operator."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A stateful operator."""

    operator_id: int
    name: Fact[str]
    metadata_version: int | None
    partitions: int
    stores: tuple[Store, ...]
    provider: str | None
    """hdfs or rocksdb, by the files that lie there."""
    loadable: tuple[BatchRange, ...]
    newest_version: int | None
    """The highest state version found; batch N writes version N+1."""
    paths_outside: tuple[str, ...]
    """Absolute paths in its metadata that do not lead into this checkpoint."""

    def can_load_after(self, batch: int) -> bool:
        """Whether the whole state after a batch can be loaded."""
        return any(each.holds(batch) for each in self.loadable)
