"""Ask `judge` about a case as the command does, from its folders or from saved evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scripts.truth.observation import Observation
from scripts.truth.plans import Plans
from scripts.truth.workloads import WORKLOADS

from holdfast.adapters.evidence_file import read_evidence, write_evidence
from holdfast.adapters.machine import ThisMachine
from holdfast.core.evidence.around import Query, QuerySource
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.pack import encode
from holdfast.core.fact import Fact, Known, Unreadable
from holdfast.core.pinned_conf import DEFAULTS
from holdfast.core.running.fingerprint import UNPINNED
from holdfast.errors import HoldfastError, UsageError
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.flows.judge import judge
from holdfast.surfaces.render.envelope import envelope

SINKS = {
    "parquet": "parquet:{output}",
    "foreach": "none",
    "foreach-parquet": "none",
    "delta": "delta:{output}",
    "delta-txn": "delta-txn:{output}?app={app}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on a resume, with the codes that made it."""

    answer: str
    """safe, unsafe or unknown."""
    codes: tuple[str, ...]
    message: str
    rows: int | None = None
    """The largest number of rows that a finding names."""


def evidence_for(found: Observation) -> Evidence | HoldfastError:
    """Look at the folders of a case as `holdfast judge CKPT --sink … --source …` does."""
    after = found.after
    sink = SINKS[after["sink"]].format(**after)
    asked = Asked(
        target=after["checkpoint"],
        sinks=(sink,),
        sources=tuple(found.source_specs),
        stateless=not WORKLOADS[found.workload].is_stateful,
    )
    try:
        evidence = take_evidence(asked, ThisMachine())
    except HoldfastError as error:
        return error
    return evidence


def with_queries(evidence: Evidence, found: Observation, plans: Plans) -> Evidence:
    """Add what `--spark` and `--against` tell: the query that ran, and the one that is to start.

    Only where they differ: a bare path is judged as the same query started again.
    """
    evidence = replace(evidence, spark=Known(found.started_with, "--spark"))
    told = {"checkpoint"}
    before = {name: value for name, value in found.before.items() if name not in told}
    after = {name: value for name, value in found.after.items() if name not in told}
    if before == after and found.version == found.started_with:
        return evidence
    return replace(
        evidence,
        last_query=query_of(found, found.before, found.version, plans, "the query that ran"),
        next_query=query_of(found, found.after, found.started_with, plans, "--against"),
    )


def query_of(
    found: Observation, task: dict[str, Any], spark: str, plans: Plans, origin: str
) -> Fact[Query]:
    """A query in the words of a fingerprint; unreadable where its plan could not be analysed."""
    facts = plans.of(spark, task)
    if isinstance(facts, str):
        return Unreadable(origin, facts, UsageError.code)
    settings = facts.settings
    return Known(
        Query(
            origin=origin,
            sources=tuple(sources_of(found, task)),
            stateful=facts.stateful,
            output_mode=task["mode"],
            sink_kind=task["sink"],
            sink_place=task["output"],
            transform=f"{task['shape']} {task['variant']}".strip(),
            trigger="availableNow",
            unpinned={name: settings[name] for name in UNPINNED if name in settings},
            pinned={name: settings[name] for name in DEFAULTS if name in settings},
            spark=spark,
            code_revision=None,
            shapes=facts.shapes,
        ),
        origin,
    )


def sources_of(found: Observation, task: Mapping[str, Any]) -> list[QuerySource]:
    """In the order of the plan; the session's variants move, add and exchange them."""
    variant, sides = task["variant"], list(WORKLOADS[found.workload].inputs)
    if variant == "source_added":
        sides = ["left", "right"]
    if variant == "source_removed":
        sides = ["left"]
    if variant == "sources_reordered":
        sides.reverse()
    made = []
    for position, side in enumerate(sides):
        provider, options = "json", {"path": task["inputs"][side], **task["options"]}
        if task["source"] == "kafka":
            provider, options = "kafka", dict(task["options"])
        elif variant == "text_source":
            provider = "text"
        elif variant == "other_kind" and side == "left":
            provider, options = "rate-micro-batch", {"rowsPerBatch": "6"}
        made.append(QuerySource(position=position, provider=provider, options=options))
    return made


def save_evidence(evidence: Evidence, path: Path) -> None:
    write_evidence(str(path), envelope("evidence", evidence.location, encode(evidence)))


def touched_since(evidence: Evidence, staged_ms: int) -> Evidence:
    """Without the touch of the copy that made the case, by which every file is new."""
    sources = tuple(
        replace(each, touched=tuple(file for file in each.touched if file.at_ms >= staged_ms))
        for each in evidence.sources
    )
    return replace(evidence, sources=sources)


def touched_as_seen(evidence: Evidence, saved: Evidence) -> Evidence:
    """What was kept is a copy as well: when files were touched is known from the first look."""
    seen = {each.position: each.touched for each in saved.sources}
    sources = tuple(replace(each, touched=seen.get(each.position, ())) for each in evidence.sources)
    return replace(evidence, sources=sources)


def judgement_of(found: Observation, folder: Path, plans: Plans) -> Judgement:
    """Judge a case anew from its folders; from the saved evidence where its source is gone."""
    place = folder / found.key
    saved = place / "evidence.json"
    evidence: Evidence | HoldfastError
    if WORKLOADS[found.workload].source == "kafka" and saved.exists():
        evidence = read_evidence(str(saved))
    else:
        evidence = evidence_for(found)
        if isinstance(evidence, Evidence) and saved.exists():
            evidence = touched_as_seen(evidence, read_evidence(str(saved)))
    if isinstance(evidence, Evidence):
        evidence = with_queries(evidence, found, plans)
    return judged(evidence)


def judged(evidence: Evidence | HoldfastError) -> Judgement:
    """The verdict on a resume; where nothing could be said that is no verdict, hence unknown."""
    if isinstance(evidence, HoldfastError):
        return Judgement(answer="unknown", codes=(evidence.code,), message=evidence.message)
    verdict = judge(evidence, "resume").verdicts[0]
    heavy = [each for each in verdict.findings if each.weight == verdict.answer]
    counted = [each.rows for each in verdict.findings if each.rows is not None]
    return Judgement(
        answer=verdict.answer,
        codes=tuple(dict.fromkeys(each.code for each in heavy)),
        message=heavy[0].message if heavy else "",
        rows=max(counted, default=None),
    )
