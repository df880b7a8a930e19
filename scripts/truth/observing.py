"""Observe one case: copy the checkpoint, change one thing, keep it, start it, compare."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.truth.changes.change import Change
from scripts.truth.input_rows import AFTER, Row, expected
from scripts.truth.judging import evidence_for, save_evidence, touched_since
from scripts.truth.kafka_topic import Topic
from scripts.truth.observation import Observation
from scripts.truth.outcome import Outcome, outcome_of
from scripts.truth.spark_process import SparkProcesses
from scripts.truth.stage import Stage, copy_folders
from scripts.truth.workloads import Workload

from holdfast.core.evidence.evidence import Evidence

Topics = Callable[[str], Topic]


class Observer:
    """Makes each checkpoint once, and a case of it for each change."""

    def __init__(self, folder: Path, sparks: SparkProcesses, topics: Topics | None = None) -> None:
        self._folder = folder
        self._sparks = sparks
        self._topics = topics

    def observe(self, workload: Workload, version: str, change: Change) -> Observation:
        """Everything, from the copy to the comparison."""
        place = self._folder / version / workload.name / change.name
        stage = self._staged(workload, version, place)
        staged_ms = later_than(place)
        before = stage.task()
        stage.variant, stage.mode = change.variant, change.mode
        stage.settings = {**stage.settings, **change.settings}
        change.act(stage)
        if change.spark is not None:
            stage.version = change.spark
        kept = place.with_name(f"{place.name}.kept")
        copy_as_it_is(place, kept)
        found = described(stage, before, version, change)
        evidence = evidence_for(found)
        if isinstance(evidence, Evidence):
            save_evidence(touched_since(evidence, staged_ms), kept / "evidence.json")
        observation = self._started(stage, found)
        shutil.rmtree(place)
        kept.rename(place)
        return observation

    def _staged(self, workload: Workload, version: str, place: Path) -> Stage:
        if workload.source == "kafka":
            shutil.rmtree(place, ignore_errors=True)
            assert self._topics is not None
            topic = self._topics(f"{workload.name}-{place.name}".replace("_", "-"))
            stage = Stage(place, workload, version, self._sparks, topic)
            stage.build()
            return stage
        template = self._folder / version / workload.name / "template"
        if not (template / "made").exists():
            shutil.rmtree(template, ignore_errors=True)
            Stage(template, workload, version, self._sparks).build()
            (template / "made").touch()
        copy_folders(template, place)
        return Stage(place, workload, version, self._sparks)

    def _started(self, stage: Stage, found: Observation) -> Observation:
        workload = stage.workload
        held = as_rows(stage.rows())
        logs = names_in_logs(stage.checkpoint)
        starts = []
        for pages in AFTER:
            stage.feed(*pages)
            starts.append(stage.run())
        truth = expected(workload, stage.variant, stage.more)
        outcome = outcome_of(
            workload,
            starts,
            held,
            as_rows(stage.rows()),
            truth,
            logs_moved=names_in_logs(stage.checkpoint) != logs,
        )
        data = {name: getattr(found, name) for name in Observation.__slots__}
        return Observation(**{**data, "starts": starts, "outcome": outcome})


def described(stage: Stage, before: dict[str, Any], version: str, change: Change) -> Observation:
    """All but how it went."""
    return Observation(
        version=version,
        started_with=stage.version,
        workload=stage.workload.name,
        change=change.name,
        before=before,
        after=stage.task(),
        source_specs=[stage.topic.spec()]
        if stage.topic
        else [f"files:{stage.inputs[side]}" for side in stage.workload.inputs],
        starts=[],
        outcome=Outcome(name="refused", error="not started yet"),
    )


def copy_as_it_is(source: Path, target: Path) -> None:
    """Byte for byte, with times; absolute paths inside still mean the first place."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def later_than(place: Path) -> int:
    """A time of the file system after which only the change itself touches files here."""
    stamp = place / "staged"
    newest_ms = max(changed_ms(path) for path in (place, *place.rglob("*")))
    while True:
        stamp.write_text("", encoding="utf-8")
        if changed_ms(stamp) > newest_ms:
            return changed_ms(stamp)


def changed_ms(path: Path) -> int:
    return path.lstat().st_ctime_ns // 1_000_000


def as_rows(answer: dict[str, Any]) -> list[Row] | None:
    return None if answer["rows"] is None else [tuple(row) for row in answer["rows"]]


def names_in_logs(checkpoint: Path) -> str:
    names = {
        log: sorted(p.name for p in (checkpoint / log).glob("[0-9]*"))
        for log in ("offsets", "commits")
    }
    return json.dumps(names)
