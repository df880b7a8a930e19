"""HF467: an option of a source changed that bears on what is read from now on.

Limits of a batch (maxOffsetsPerTrigger, maxFilesPerTrigger and the like) may be changed at any
time; a batch that is planned already keeps its range. Other options hold from the next batch on as
well: rows that were read before are not read again under the new ones.

Means: options of a source differ from the last start, other than its place and its start.
Verdict: a note. Unknown where the source would begin to give other rows (readChangeFeed).
Do: nothing, where the change is meant.
"""

from collections.abc import Iterator

from holdfast.core.evidence.around import QuerySource
from holdfast.core.evidence.change import arrow, change_of, differing
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_LIMITS = frozenset(
    {
        "maxoffsetspertrigger",
        "minoffsetspertrigger",
        "maxtriggerdelay",
        "maxfilespertrigger",
        "maxbytespertrigger",
        "maxrecordsperpartition",
        "rowspersecond",
        "rowsperbatch",
    }
)
_OTHER_ROWS = frozenset({"readchangefeed", "readchangedata"})
_SAID_ELSEWHERE = frozenset(
    {
        "plan",
        "path",
        "table",
        "subscribe",
        "subscribepattern",
        "assign",
        "kafka.bootstrap.servers",
        "failondataloss",
        "ignoremissingfiles",
        "ignorecorruptfiles",
    }
)


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None:
        return
    before = {each.position: each for each in change.before.sources}
    for source in change.after.sources:
        old = before.get(source.position)
        if old is None or not _tells(old) or not _tells(source):
            continue
        for name, (was, now) in differing(old.options, source.options).items():
            if name in _SAID_ELSEWHERE or name.startswith("starting"):
                continue
            yield rule.found(
                "unknown" if name in _OTHER_ROWS else "note",
                f"source {source.position}, {name}: {arrow(was, now)}",
                evidence=change.known_from,
                consequence=_consequence(name, evidence.in_flight),
            )


def _tells(source: QuerySource) -> bool:
    """Whether options are known at all; a plan of older records tells only the provider."""
    return any(name != "plan" for name in source.options)


def _consequence(name: str, in_flight: int | None) -> str:
    if name in _OTHER_ROWS:
        return "the source gives other rows than before, from the stored position on"
    if name in _LIMITS and in_flight is not None:
        return f"holds after batch {in_flight:,}, whose range is planned already"
    return "holds from the next batch on"


RULE = Rule(code="HF467", title="an option of a source changed", check=_check)
