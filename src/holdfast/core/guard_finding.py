"""What a guard found."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardFinding:
    """One finding of one guard about one job."""

    code: str
    severity: Literal["error", "warning"]
    job: str
    message: str
    next_action: str
