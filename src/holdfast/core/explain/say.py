"""The three answers of a checkpoint to an explanation."""

from dataclasses import dataclass
from typing import Literal

from holdfast.core.checkpoint import Checkpoint

Status = Literal["agrees", "disagrees", "cannot tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What the checkpoint says, and the findings that say so."""

    status: Status
    says: str
    findings: tuple[str, ...] = ()


def agrees(says: str, *findings: str) -> Agreement:
    """The checkpoint shows it."""
    return Agreement(status="agrees", says=says, findings=findings)


def disagrees(says: str) -> Agreement:
    """The checkpoint shows the opposite."""
    return Agreement(status="disagrees", says=says)


def cannot_tell(says: str) -> Agreement:
    """The checkpoint does not show it, and could not."""
    return Agreement(status="cannot tell", says=says)


def by_code(found: Checkpoint, *codes: str) -> Agreement | None:
    """Agreement by the first of these findings that is there, None where there is none."""
    for code in codes:
        for finding in found.warnings:
            if finding.code == code:
                where = f"{finding.path}: " if finding.path else ""
                return agrees(f"{where}{finding.message}", code)
    return None
