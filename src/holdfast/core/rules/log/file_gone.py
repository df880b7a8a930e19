"""HF498: a file beside the logs is gone.

Sources and stateful operators keep files of their own. The rate source writes down when it began
and counts from there: without that file it begins to count anew, and makes other rows
(RateStreamMicroBatchStream). transformWithState and joins of version 3 read the schemas that their
metadata names; Delta reads the log of schemas of a tracked source. On a local disk a checksum
without its file says that somebody removed the file: Hadoop removes both.

Means: the metadata of an operator names a file that is not there, or a checksum is left
without its file in sources/, in the schemas of state or in a log of schemas.
Verdict: unknown for resume and replay.
Do: restore the file from a backup.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for path in evidence.gone:
        yield rule.found(
            "unknown",
            f"{path} is gone",
            evidence=path,
            consequence="the query may fail, or go on as if it had never read before",
            next_action=f"restore {path} from a backup",
        )


RULE = Rule(code="HF498", title="a file beside the logs is gone", check=_check)
