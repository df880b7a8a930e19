"""HF479: the logs are of a version that this Spark does not read.

Plans of the second format are read by Spark 4.2 and newer only. Commits that name state files
(second format) need 4.0; 4.0 and 4.1 demand that the setting checkpointFormatVersion says exactly
the version that is there; commits of the third format need 4.2. Any other Spark refuses
(INVALID_LOG_VERSION) before it reads or writes a row.

Means: the newest plan or commit is of a version that the Spark that would start it does not read.
Verdict: unsafe for resume and replay; unknown where a setting decides that nobody told; a note
where it is not known which Spark will start it.
Do: start it with the Spark that is named; `--spark 4.2.0` says which one it will be.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.spark_release import Release, starting_release, told
from holdfast.core.fact import Absent, Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight

_FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
_PLANS_SINCE: dict[int, Release] = {2: (4, 2)}
_COMMITS_SINCE: dict[int, Release] = {2: (4, 0), 3: (4, 2)}
_EXACT: tuple[Release, ...] = ((4, 0), (4, 1))
_REFUSES = "Spark refuses to start; nothing is read or written"


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    release = starting_release(evidence)
    for log, since in ((evidence.plan, _PLANS_SINCE), (evidence.commit, _COMMITS_SINCE)):
        if not isinstance(log, Known) or log.value.version not in since:
            continue
        needed = since[log.value.version]
        if release is None or release < needed:
            version = f"{log.origin} is of version {log.value.version}"
            yield rule.found(
                "note" if release is None else "unsafe",
                f"{version}, which Spark {told(needed)} and newer read"
                + (f"; this is {told(release)}" if release else ""),
                evidence=log.origin,
                consequence=_REFUSES if release else "an older Spark refuses to start",
                next_action=f"start it with Spark {told(needed)} or newer",
            )
    if release in _EXACT and isinstance(evidence.commit, Known):
        yield from _exact(rule, evidence, release, evidence.commit.value.version)


def _exact(
    rule: Rule, evidence: Evidence, release: Release | None, stored: int
) -> Iterator[RuleFinding]:
    """4.0 and 4.1 read one version of commits: the one that the session names."""
    if release is None or stored not in (1, 2):
        return
    wanted = _wanted(evidence)
    if wanted == str(stored) or (wanted is None and stored == 1):
        return
    yield rule.found(
        _weight(evidence, wanted),
        f"commits are of version {stored}, and {_FORMAT} is {wanted or 'not known'}",
        evidence=evidence.commit.origin,
        consequence=f"Spark {told(release)} demands that both are the same, else it refuses",
        next_action=f"set {_FORMAT}={stored}",
    )


def _weight(evidence: Evidence, wanted: str | None) -> Weight:
    """The same query started again has the setting that it had; of another one nobody knows."""
    if wanted is not None:
        return "unsafe"
    return "note" if isinstance(evidence.next_query, Absent) else "unknown"


def _wanted(evidence: Evidence) -> str | None:
    for query in (evidence.next_query, evidence.last_query):
        if isinstance(query, Known) and _FORMAT in query.value.unpinned:
            return query.value.unpinned[_FORMAT]
    return None


RULE = Rule(code="HF479", title="the logs are too new for this Spark", check=_check)
