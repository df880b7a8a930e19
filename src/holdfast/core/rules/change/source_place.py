"""HF466: a source reads from another topic, folder, table or cluster.

Spark does not know where the stored position came from. A Kafka topic that is gone from the list is
reported as lost, or silently left out with failOnDataLoss=false; one that is new is read from its
beginning. In another folder every file is new, and those left unread in the old one stay unread.
Delta refuses a table with another id; the same table at another path goes on. Kafka's positions
hold for one cluster only, and nothing in them says which.

Means: the place of a source differs from the last start, or from the topics in the newest plan.
Verdict: unsafe for folders and for topics that are taken out; unknown for tables, patterns and
brokers; a note for topics that are added.
Do: keep the place; to read from another one begin a new checkpoint, or plan a replay.
"""

from collections.abc import Iterator

from holdfast.core.evidence.around import QuerySource
from holdfast.core.evidence.change import arrow, change_of, in_list, option, upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_place import kind_of_provider, place_of, topics_in, topics_of
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.change.sources_reordered import RULE as REORDERED
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_BROKERS = "kafka.bootstrap.servers"
_NEXT = "keep the old place, or plan a reset"


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if any(REORDERED.check(REORDERED, evidence, goal)):
        return  # each place is still read, and that rule says more
    known = upcoming(evidence)
    if known is None:
        return
    change = change_of(evidence)
    before = {each.position: each for each in change.before.sources} if change else {}
    for source in known.value.sources:
        by_topics = _topics(rule, evidence, source, known.origin)
        yield from by_topics
        old = before.get(source.position)
        if old is not None and change is not None:
            yield from _compared(rule, old, source, change.known_from, told=bool(by_topics))


def _topics(
    rule: Rule, evidence: Evidence, source: QuerySource, origin: str
) -> tuple[RuleFinding, ...]:
    """Kafka's own positions name their topics."""
    wanted = topics_of(source)
    if wanted is None or not isinstance(evidence.plan, Known):
        return ()
    spans = [s for s in evidence.plan.value.sources if s.position == source.position]
    stored = topics_in(spans[0]) if spans else None
    if stored is None or stored == wanted:
        return ()
    gone, added = ", ".join(sorted(stored - wanted)), ", ".join(sorted(wanted - stored))
    difference = arrow(",".join(sorted(stored)), ",".join(sorted(wanted)))
    if gone:
        consequence = f"{gone}: its unread records are never read, and Spark reports them as lost"
    else:
        consequence = f"{added} is read from its beginning"
    return (
        rule.found(
            "unsafe" if gone else "note",
            f"topics of source {source.position}: {difference}",
            evidence=f"{evidence.plan.origin} and {origin}",
            consequence=consequence,
            next_action=_NEXT if gone else "",
        ),
    )


def _compared(
    rule: Rule, old: QuerySource, new: QuerySource, known_from: str, *, told: bool
) -> Iterator[RuleFinding]:
    kind = kind_of_provider(new.provider)
    if kind != kind_of_provider(old.provider):
        return  # HF464 speaks of that
    before, after = place_of(old), place_of(new)
    if before is not None and after is not None and before != after and not told:
        is_folder = kind == "file"
        yield rule.found(
            "unsafe" if is_folder else "unknown",
            f"source {new.position} reads from another place: {arrow(before, after)}",
            evidence=known_from,
            consequence="every file there counts as new, and unread files of the old folder stay "
            "unread"
            if is_folder
            else "the stored position may belong to something else: another table is refused by "
            "its id, the same one at a new path goes on",
            next_action=_NEXT,
        )
    brokers = option(old.options, _BROKERS), option(new.options, _BROKERS)
    if kind == "kafka" and None not in brokers and in_list(brokers[0]) != in_list(brokers[1]):
        shared = in_list(brokers[0]) & in_list(brokers[1])
        yield rule.found(
            "note" if shared else "unknown",
            f"brokers of source {new.position}: {arrow(*brokers)}",
            evidence=known_from,
            consequence=""
            if shared
            else "the stored positions hold for one cluster; on another they mean other records",
            next_action="" if shared else "make sure that it is the same cluster",
        )


RULE = Rule(code="HF466", title="a source reads from another place", check=_check)
