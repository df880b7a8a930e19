"""HF495: files on a local disk have lost their checksums.

Hadoop writes a checksum beside every file on a local disk. A file without one was edited, or copied
without hidden files; an edited plan makes a start read from another place, an edited schema or
operator makes it fail, and nothing else shows it. Object stores keep no such files, and there this
says nothing: seals of `holdfast run` do.

Means: the checkpoint lies on a local disk, and a part of it has files without a checksum or a seal.
Verdict: unknown for resume and replay.
Do: compare them with a backup; a checkpoint that Holdfast runs is sealed.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.unverified:
        yield rule.found(
            "unknown",
            f"files in {', '.join(evidence.unverified)} have no checksum and no seal",
            evidence=evidence.unverified[0],
            consequence="were one of them edited, a start would go by it all the same",
            next_action="compare them with a backup; --verify reads those that were not read",
        )


RULE = Rule(code="HF495", title="checksums are missing", check=_check)
