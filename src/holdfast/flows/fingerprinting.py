"""Write down what a query was made of at its start, and warn of what will not repeat."""

from holdfast.adapters.sources.opening import read_identity
from holdfast.adapters.spark.transform_source import declared_source
from holdfast.core.evidence.declared_query import declared_options
from holdfast.core.fact import Fact, Known, Unreadable
from holdfast.core.guards.repeatable_transform import find_unrepeatable
from holdfast.core.job import UNDECLARED, Job
from holdfast.core.pinned_conf import DEFAULTS
from holdfast.core.running.event import Tell, Warned
from holdfast.core.running.fingerprint import UNPINNED, Fingerprint, SourcePrint, encode_fingerprint
from holdfast.core.running.ports import PlanFacts, Query, Records
from holdfast.core.running.run import fingerprint_name
from holdfast.core.secret_text import hide, shown_options
from holdfast.flows.prepare import Surrounding


def record_fingerprint(
    job: Job, query: Query, records: Records, epoch: int, around: Surrounding, tell: Tell
) -> None:
    """Store the fingerprint of a query that has just started; its batches go on meanwhile."""
    facts = query.facts((*DEFAULTS, *UNPINNED))
    fingerprint = fingerprint_of(job, query.id, epoch, facts, around, read_identity(job.source))
    records.create(fingerprint_name(epoch), encode_fingerprint(fingerprint))
    for finding in find_unrepeatable(job.name, facts.unrepeatable, declared_source(job.transform)):
        tell(Warned(finding=finding))


def fingerprint_of(
    job: Job,
    query_id: str,
    epoch: int,
    facts: PlanFacts,
    around: Surrounding,
    identity: Fact[str],
) -> Fingerprint:
    """What is kept of a query, without its secrets."""
    secrets = around.secrets
    known = job.source.format != UNDECLARED
    return Fingerprint(
        job=job.name,
        epoch=epoch,
        query_id=query_id,
        sources=tuple(
            _source(job, position, provider, secrets, identity)
            if known and position == 0
            # The declaration speaks of one source; others are the transform's own.
            else SourcePrint(
                position=position,
                provider=provider,
                options=_planned_options(facts, position, secrets),
            )
            for position, provider in enumerate(facts.sources)
        ),
        stateful=facts.stateful,
        output_mode=job.output_mode if known else None,
        trigger=(job.trigger.interval or job.trigger.kind) if known else None,
        transform=job.transform,
        sink={"kind": job.sink.kind, **shown_options(job.sink.options, secrets)} if known else {},
        pinned={name: facts.settings[name] for name in DEFAULTS if name in facts.settings},
        unpinned={name: facts.settings[name] for name in UNPINNED if name in facts.settings},
        versions=facts.versions,
        code_revision=around.code_revision,
        shapes=facts.shapes,
    )


def _source(
    job: Job, position: int, provider: str, secrets: frozenset[str], identity: Fact[str]
) -> SourcePrint:
    options = declared_options(job.source, secrets)
    return SourcePrint(
        position=position,
        provider=job.source.format,
        options={**options, "plan": provider},
        identity=identity.value if isinstance(identity, Known) else None,
        # A source that cannot be asked keeps no job from running; that it was not is written down.
        identity_problem=(
            hide(identity.reason, secrets) if isinstance(identity, Unreadable) else ""
        ),
    )


def _planned_options(facts: PlanFacts, position: int, secrets: frozenset[str]) -> dict[str, str]:
    given = facts.source_options
    return shown_options(given[position], secrets) if position < len(given) else {}
