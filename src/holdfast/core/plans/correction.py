"""What has to be done to a sink so that batches can be processed again, and which way that leaves.

Forward: batches are done again under new ids, so the sink's memory can stay as it is. Cut: both
logs are cut back and the same ids come again, so the sink has to forget them as well.
"""

from dataclasses import dataclass
from typing import Literal

from holdfast.core.plans.plan import Hazard, SinkFate
from holdfast.core.plans.requirement import Requirement
from holdfast.core.plans.step import Step

Way = Literal["forward", "cut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One sink, corrected so that nothing after batch `keep` is in it, or said why not."""

    way: Way
    """The way that fits this sink; a stateful query can only be cut."""
    reason: str
    fate: SinkFate
    steps: tuple[Step, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    notes: tuple[str, ...] = ()
