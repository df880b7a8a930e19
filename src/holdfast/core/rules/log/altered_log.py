"""HF404: a log file that a start reads is not what was written.

A checksum or a seal says that the newest plan, the one before it, the newest commit or metadata has
other bytes than when it was written. Spark 4.3 starts from an edited plan all the same (a stale
checksum on a local disk did not stop it), and reads from wherever the edited position points: rows
are skipped or read twice, and nothing else shows it.

Means: a file of offsets/, commits/ or metadata disagrees with its checksum or its seal.
Verdict: unsafe where a start reads the file; a note where it is an older batch.
Do: bring the file back from a backup; if the edit was meant, remove the stale `.crc` beside it and
judge again.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_CODES = ("HF103", "HF128")


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    read_first = set(_read_first(evidence))
    for seen in evidence.saw(*_CODES):
        name = seen.path.removesuffix(".crc")
        if not name.startswith(("offsets", "commits", "metadata")):
            continue
        first = name in read_first
        yield rule.found(
            "unsafe" if first or goal == "replay" else "note",
            f"{name} was altered: {seen.message}",
            evidence=seen.path,
            consequence="a start reads from wherever the altered file says" if first else "",
            next_action=f"restore {name} from a backup, then judge again",
        )


def _read_first(evidence: Evidence) -> Iterator[str]:
    yield "metadata"
    for fact in (evidence.plan, evidence.previous_plan, evidence.commit):
        yield fact.origin


RULE = Rule(code="HF404", title="a log file was altered", check=_check)
