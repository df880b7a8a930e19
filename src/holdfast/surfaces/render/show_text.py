"""`show` for a person: what happened, what it means, the facts, what is odd, the next command."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.core.checkpoint import Checkpoint, OperatorState
from holdfast.core.fact import Fact, Known, Unreadable
from holdfast.core.formats.state_schema import describe_struct
from holdfast.core.pinned_conf import differing
from holdfast.core.reading.operators import StoreVersions
from holdfast.core.state.loadable import Range
from holdfast.flows.show import BatchView, Shown, SourceMove
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.words import age, count, moment, plain, size, span, watermark

_POSITIONS_MAX = 60
"""Rows of one source's table; a topic can have thousands of partitions."""

_SEALED_PARTS = ("metadata", "offsets", "commits")

_FILES_MAX = 20
"""Input files listed by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowText:
    """What of it to print, beyond the screen that always comes."""

    typed: str
    now_ms: int
    conf: bool = False
    files: bool = False

    def print(self, shown: Shown) -> None:
        """Print the page."""
        page = Page()
        page.say()
        if shown.batch is not None:
            self._batch(page, shown.batch, shown.checkpoint)
            self._asked_for(page, shown)
        else:
            self._headline(page, shown)
            self._identity(page, shown.checkpoint)
            self._sources(page, shown)
            self._state(page, shown)
            self._sizes(page, shown.checkpoint)
        page.say()
        page.findings(shown.checkpoint.warnings)
        self._next(page, shown)

    def _asked_for(self, page: Page, shown: Shown) -> None:
        """The parts of the whole picture that were asked for beside a batch."""
        if self.conf and shown.batch is not None and isinstance(shown.batch.plan, Known):
            page.rows(self._conf_rows(shown.batch.plan.value.conf))
        if shown.versions is not None:
            self._state(page, shown)
        if self.files:
            self._sizes(page, shown.checkpoint)

    def _headline(self, page: Page, shown: Shown) -> None:
        checkpoint = shown.checkpoint
        newest = shown.newest
        if newest is None:
            page.say("No batch was ever planned here.")
        elif checkpoint.death:
            page.say(
                f"Batch {newest.batch:,} was planned {self._when(newest)} and never committed: "
                f"{checkpoint.death.text}.",
                style="bold yellow",
            )
        else:
            committed = checkpoint.commits.last
            when = age(checkpoint.committed_at_ms, self.now_ms)
            page.say(f"Batch {committed:,} is the last one committed ({when}); none is in flight.")
        page.say(checkpoint.restart.text)
        page.say()

    def _when(self, view: BatchView) -> str:
        if not isinstance(view.plan, Known) or view.plan.value.timestamp_ms is None:
            return "at an unknown time"
        time_ms = view.plan.value.timestamp_ms
        return f"{moment(time_ms)} ({age(time_ms, self.now_ms)})"

    def _identity(self, page: Page, checkpoint: Checkpoint) -> None:
        rows = [
            ("checkpoint", checkpoint.location),
            ("query id", _said(checkpoint.query_id)),
            ("logs", f"offsets {_version(checkpoint.plan)}, commits {_version(checkpoint.commit)}"),
        ]
        for label, log in (("planned", checkpoint.offsets), ("committed", checkpoint.commits)):
            if log.first is None or log.last is None:
                rows.append((label, "nothing"))
            else:
                gaps = f", {log.missing_count:,} missing" if log.missing_count else ""
                rows.append(
                    (label, f"{span(log.first, log.last)} ({count(len(log.ids), 'file')}{gaps})")
                )
        rows += _seal_rows(checkpoint)
        if isinstance(checkpoint.plan, Known):
            rows.append(("watermark", watermark(_watermark_ms(checkpoint))))
            rows += self._conf_rows(checkpoint.plan.value.conf)
        page.rows(rows)

    def _conf_rows(self, conf: Mapping[str, str]) -> list[tuple[str, str]]:
        if self.conf:
            return [("pinned", f"{key} = {value}") for key, value in sorted(conf.items())]
        different = differing(conf)
        rows = [
            ("" if number else "pinned", f"{key} = {_short(value)} ({_default(default)})")
            for number, (key, (value, default)) in enumerate(different.items())
        ]
        others = len(conf) - len(different)
        if others:
            rows.append(("", f"{others} more at Spark's defaults (--conf)"))
        return rows

    def _sources(self, page: Page, shown: Shown) -> None:
        if shown.newest is None:
            return
        page.say()
        goal = shown.newest.batch if shown.checkpoint.in_flight is not None else None
        for move in shown.newest.sources:
            self._source(page, move, goal, shown.newest.starts_known)

    def _source(self, page: Page, move: SourceMove, goal: int | None, starts_known: bool) -> None:
        beginning = "the beginning" if starts_known else "unknown"
        name = f"{move.source.name} " if move.source.name else ""
        label = f"source {move.source.position}"
        if move.source.offset is None:
            page.rows([(label, f"{name}no position yet")])
            return
        page.rows([(label, f"{name}{move.kind}")])
        ends = "done up to" if goal is None else f"batch {goal:,} goes to"
        header = [*move.label_names[: _labels(move)], "from", ends]
        if move.counts:
            header.append(move.counts)
        rows = [
            [*m.labels, m.start or beginning, m.end or "gone", *_counted(move, m.amount)]
            for m in move.moves[:_POSITIONS_MAX]
        ]
        if len(move.moves) > 1 and move.counts:
            total = "unknown" if move.amount is None else f"{move.amount:,}"
            rows.append([*[""] * (len(header) - 1), total])
        page.table(header, rows, right=_labels(move))
        if len(move.moves) > _POSITIONS_MAX:
            page.say(f"{' ' * 12}… and {len(move.moves) - _POSITIONS_MAX:,} more (--output json)")

    def _input_files(self, page: Page, move: SourceMove) -> None:
        if move.files is None:
            return
        page.rows([("", count(len(move.files), "input file"))])
        page.rows([("", entry.path) for entry in move.files[:_FILES_MAX]])
        if len(move.files) > _FILES_MAX:
            page.rows([("", f"… and {len(move.files) - _FILES_MAX:,} more (--output json)")])

    def _state(self, page: Page, shown: Shown) -> None:
        for operator in shown.checkpoint.operators:
            page.rows([(f"state {operator.files.operator_id}", _operator_line(operator))])
        for operator_id, stores in (shown.versions or {}).items():
            page.rows(_version_rows(operator_id, stores))
        for schemas in shown.schemas or ():
            for path, fact in schemas.files.items():
                if not isinstance(fact, Known):
                    page.rows([("schema", f"{path}: {_said(fact)}")])
                    continue
                page.rows([("schema", f"{path} (v{fact.value.version})")])
                for family in fact.value.column_families:
                    page.rows(
                        [
                            ("", f"{family.name}: key {describe_struct(family.key) or '(none)'}"),
                            ("", f"{family.name}: value {describe_struct(family.value)}"),
                        ]
                    )

    def _sizes(self, page: Page, checkpoint: Checkpoint) -> None:
        parts = sorted(checkpoint.sizes.items(), key=lambda item: -item[1].size_bytes)
        text = ", ".join(f"{part} {size(value.size_bytes)}" for part, value in parts)
        files = f"{count(checkpoint.file_count, 'file')}, {size(checkpoint.size_bytes)}"
        page.rows([("size", f"{files}: {text}" if text else files)])
        if self.files:
            page.table(
                ("part", "files", "bytes", "to check", "read", "verified", "failed"),
                [
                    (part, f"{value.files:,}", f"{value.size_bytes:,}", *_check(checkpoint, part))
                    for part, value in checkpoint.sizes.items()
                ],
                right=1,
            )

    def _batch(self, page: Page, view: BatchView, checkpoint: Checkpoint) -> None:
        state = "committed" if view.committed else "planned, not committed"
        page.say(f"Batch {view.batch:,}: {state}", style="bold")
        rows = [("planned", self._when(view))]
        if isinstance(view.plan, Known):
            rows.append(("watermark", watermark(view.plan.value.watermark_ms)))
        else:
            rows.append(("plan", _said(view.plan)))
        if isinstance(view.commit, Known):
            rows.append(("afterwards", watermark(view.commit.value.next_watermark_ms)))
        page.rows(rows)
        if view.batch == checkpoint.in_flight and checkpoint.death:
            page.say(f"{checkpoint.death.text[0].upper()}{checkpoint.death.text[1:]}.")
            page.say(checkpoint.restart.text)
        page.say()
        for move in view.sources:
            self._source(page, move, view.batch, view.starts_known)
            self._input_files(page, move)

    def _next(self, page: Page, shown: Shown) -> None:
        checkpoint = shown.checkpoint
        typed = plain(self.typed)
        if shown.batch is None and checkpoint.in_flight is not None:
            page.say(f"next: holdfast show {typed} --batch {checkpoint.in_flight}")
        elif any(check.read < check.files for check in checkpoint.checks.values()):
            page.say(f"next: holdfast show {typed} --verify   (reads every file)")


def _operator_line(operator: OperatorState) -> str:
    name = operator.name or "operator of unknown name"
    provider = f"{operator.files.provider} provider" if operator.files.provider else "no data files"
    partitions = count(operator.partitions, "partition")
    stores = f", {len(operator.store_names)} stores each" if len(operator.store_names) > 1 else ""
    loadable = ", ".join(span(first, last) for first, last in operator.loadable[:4])
    single = len(operator.loadable) == 1 and operator.loadable[0][0] == operator.loadable[0][1]
    batches = "batch" if single else "batches"
    can = (
        f"can be loaded for {batches} {loadable}" if loadable else "cannot be loaded for any batch"
    )
    return f"{name}   {provider}   {partitions}{stores}   {can}"


def _version_rows(operator_id: int, stores: tuple[StoreVersions, ...]) -> list[tuple[str, str]]:
    """Partitions that hold the same versions share a line."""
    alike: dict[tuple[str, tuple[Range, ...]], list[int]] = {}
    for store in stores:
        alike.setdefault((store.store, store.versions), []).append(store.partition)
    rows = []
    for (name, versions), partitions in alike.items():
        numbers = ", ".join(span(first, last) for first, last in versions)
        few = ", ".join(map(str, partitions[:8])) + (", …" if len(partitions) > 8 else "")
        where = count(len(partitions), "partition")
        rows.append(("", f"versions {numbers} of {name} in {where} ({few})"))
    return [(f"state {operator_id}", rows[0][1]), *rows[1:]] if rows else []


def _check(checkpoint: Checkpoint, part: str) -> tuple[str, str, str, str]:
    check = checkpoint.checks.get(part)
    if check is None:
        return ("", "", "", "")
    return (f"{check.files:,}", f"{check.read:,}", f"{check.verified:,}", f"{check.failed:,}")


def _seal_rows(checkpoint: Checkpoint) -> list[tuple[str, str]]:
    checks = [checkpoint.checks[part] for part in _SEALED_PARTS if part in checkpoint.checks]
    sealed = sum(check.sealed for check in checks)
    total = sum(check.files for check in checks)
    return [("seals", f"{sealed:,} of {count(total, 'log file')} agree with a seal")] * bool(sealed)


def _said(fact: Fact[str] | Fact[object]) -> str:
    if isinstance(fact, Known):
        return str(fact.value)
    if isinstance(fact, Unreadable):
        return f"unreadable: {fact.reason} ({fact.origin})"
    return f"missing ({fact.origin})"


def _version(fact: Fact[Any]) -> str:
    if isinstance(fact, Known):
        return f"v{fact.value.version}"
    return "unreadable" if isinstance(fact, Unreadable) else "none"


def _watermark_ms(checkpoint: Checkpoint) -> int | None:
    """The watermark that the next batch uses: the larger of plan and commit."""
    if not isinstance(checkpoint.plan, Known):
        return None
    planned = checkpoint.plan.value.watermark_ms
    if isinstance(checkpoint.commit, Known) and checkpoint.in_flight is None:
        return max(planned or 0, checkpoint.commit.value.next_watermark_ms)
    return planned


def _labels(move: SourceMove) -> int:
    return len(move.moves[0].labels) if move.moves else 0


def _counted(move: SourceMove, amount: int | None) -> list[str]:
    if not move.counts:
        return []
    return ["unknown" if amount is None else f"{amount:,}"]


def _short(value: str) -> str:
    """A class of Spark's own by its last name; anything else as it is."""
    return value.rpartition(".")[2] if value.startswith("org.apache.spark.") else value


def _default(default: str | None) -> str:
    return (
        f"Spark's default is {_short(default)}"
        if default is not None
        else "not a default known here"
    )
