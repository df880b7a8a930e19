"""HF477: a setting changed that state depends on and that the checkpoint does not keep.

Most settings of state are pinned in the offsets log. A few are not (OffsetSeqMetadata leaves them
out), and a start takes whatever the session has: the format of session windows, the schema of
transformWithState, the format of state checkpoints, the time zone by which days and hours are cut.

Means: such a setting differs from the last start.
Verdict: unsafe where it bears on an operator of this query; unknown for the time zone of a stateful
query whose keys do not show whether they come from dates; else a note.
Do: set it back to the value before.
"""

import re
from collections.abc import Iterator

from holdfast.core.evidence.around import Query
from holdfast.core.evidence.change import arrow, change_of, is_stateful, stateful_words
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.operator_family import family_of_word
from holdfast.core.evidence.spark_release import starting_release
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight

_TIME_ZONE = "spark.sql.session.timeZone"
_STATE_FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
_ALLOW_MULTIPLE = "spark.sql.streaming.statefulOperator.allowMultiple"
_SESSION_WINDOW = "spark.sql.streaming.sessionWindow."
_TRANSFORM = "spark.sql.streaming.transformWithState."
_FROM_DATES = re.compile(r"date|day|hour|month|year|week|quarter|AS STRING|AS TIMESTAMP", re.I)


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None:
        return
    before, after = change.before.unpinned, change.after.unpinned
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            weight, consequence = _weight(evidence, name, change.after)
            yield rule.found(
                weight,
                f"{name}: {arrow(before[name], after[name])}",
                evidence=change.known_from,
                consequence=consequence,
                next_action="" if weight == "note" else f"set {name}={before[name]}",
            )


def _weight(evidence: Evidence, name: str, after: Query) -> tuple[Weight, str]:
    stateful = is_stateful(evidence)
    words = stateful_words(after)
    families = {family_of_word(word) for word in words or ()}
    if not stateful:
        return "note", "this query keeps no state; it holds for the rows from now on"
    if name == _STATE_FORMAT:
        release = starting_release(evidence)
        if release is not None and release >= (4, 3):
            return "note", "ignored: the format of the checkpoint counts"
        return "unsafe", "Spark looks for state files of another format than those that are there"
    if name == _TIME_ZONE:
        return _by_time_zone(after)
    if name == _ALLOW_MULTIPLE:
        several = max(len(evidence.operators), len(words or ())) > 1
        return ("unsafe" if several else "note"), "queries with several stateful operators"
    for prefix, marks in ((_SESSION_WINDOW, "session window"), (_TRANSFORM, "transformWithState")):
        if name.startswith(prefix):
            bears = any(each.startswith(marks) for each in families)
            if bears:
                return "unsafe", "stored state has the format of the old value"
            if words is None:
                return "unknown", "whether the query has such an operator was not looked at"
            return "note", "this query has no such operator"
    return "note", "holds for the rows from now on"


def _by_time_zone(after: Query) -> tuple[Weight, str]:
    made = [text for shape in after.shapes or () for text in (*shape.keys, *shape.made_by)]
    if any(_FROM_DATES.search(text) for text in (*(stateful_words(after) or ()), *made)):
        return "unsafe", "keys are cut by days or hours of another zone: groups fall apart"
    return "unknown", "keys that come from dates or hours would fall into other groups"


RULE = Rule(code="HF477", title="a setting that state depends on changed", check=_check)
