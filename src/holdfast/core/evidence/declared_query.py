"""A declared job as the query that is to start, as far as its declaration alone tells."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.evidence.around import Query, QuerySource
from holdfast.core.evidence.query_print import sink_place
from holdfast.core.job import Job, SourceSpec
from holdfast.core.pinned_conf import DEFAULTS
from holdfast.core.running.fingerprint import UNPINNED
from holdfast.core.secret_text import as_shown, shown_options


def declared_query(
    job: Job,
    *,
    settings: Mapping[str, str],
    secrets: frozenset[str],
    code_revision: str | None,
    spark: str | None,
) -> Query:
    """What the declaration says; which operators the transform makes, only its plan tells."""
    sink = {name: str(value) for name, value in shown_options(job.sink.options, secrets).items()}
    options = declared_options(job.source, secrets)
    return Query(
        origin="the declaration",
        sources=(
            QuerySource(
                position=0,
                provider=job.source.format,
                options={name: str(value) for name, value in options.items()},
            ),
        ),
        stateful=None,
        output_mode=job.output_mode,
        sink_kind=job.sink.kind,
        sink_place=sink_place(sink),
        transform=job.transform,
        trigger=job.trigger.interval or job.trigger.kind,
        unpinned={name: str(settings[name]) for name in UNPINNED if name in settings},
        pinned={name: str(settings[name]) for name in DEFAULTS if name in settings},
        spark=spark,
        code_revision=code_revision,
    )


def declared_options(source: SourceSpec, secrets: frozenset[str]) -> dict[str, Any]:
    """Options of a declared source, without its secrets, as every record of it has them."""
    return {
        **({"path": as_shown(source.path)} if source.path else {}),
        **({"schema": source.schema} if source.schema else {}),
        **shown_options(source.options, secrets),
    }
