"""`judge` as SARIF 2.1.0, which code hosts show beside a change."""

from typing import Any

from holdfast import __version__
from holdfast.core.goal import Goal
from holdfast.core.rules.judging import RULE_FAILED
from holdfast.core.rules.registry import all_rules
from holdfast.core.verdict import RuleFinding
from holdfast.flows.judge import Judged

VERSION = "2.1.0"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"unsafe": "error", "unknown": "warning", "note": "note"}


def sarif_log(judged: Judged) -> dict[str, Any]:
    """One run, a rule for each code that was found, a result for each finding and goal."""
    found = [(verdict.goal, each) for verdict in judged.verdicts for each in verdict.findings]
    codes = sorted({finding.code for _, finding in found})
    titles = {rule.code: rule.title for rule in all_rules()} | {RULE_FAILED: "a rule failed"}
    return {
        "$schema": _SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "holdfast",
                        "version": __version__,
                        "rules": [
                            {"id": code, "shortDescription": {"text": titles.get(code, code)}}
                            for code in codes
                        ],
                    }
                },
                "results": [
                    _result(judged.evidence.location, goal, finding, codes.index(finding.code))
                    for goal, finding in found
                ],
            }
        ],
    }


def _result(location: str, goal: Goal, finding: RuleFinding, index: int) -> dict[str, Any]:
    sentences = [finding.message, finding.consequence, finding.next_action]
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.weight],
        "message": {"text": ". ".join(each for each in sentences if each)},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": location}},
                "logicalLocations": [{"fullyQualifiedName": finding.evidence}],
            }
        ],
        "properties": {"goal": goal, "weight": finding.weight, "evidence": finding.evidence},
    }
