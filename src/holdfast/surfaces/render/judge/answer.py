"""`judge` as JSON."""

from typing import Any

from holdfast.core.verdict import RuleFinding, Verdict
from holdfast.flows.judge import Judged


def judge_result(judged: Judged) -> dict[str, Any]:
    """The result of the envelope."""
    evidence = judged.evidence
    return {
        "taken_at_ms": evidence.taken_at_ms,
        "will_happen": evidence.restart_text,
        "restart": {"kind": evidence.restart_kind, "batch": evidence.restart_batch},
        "in_flight": evidence.in_flight,
        "verdicts": [_verdict(verdict) for verdict in judged.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "goal": verdict.goal,
        "answer": verdict.answer,
        "findings": [_finding(finding) for finding in verdict.findings],
    }


def _finding(finding: RuleFinding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "weight": finding.weight,
        "message": finding.message,
        "evidence": finding.evidence,
        "consequence": finding.consequence,
        "next_action": finding.next_action,
        "rows": finding.rows,
        "rows_unit": finding.rows_unit,
    }
