"""Findings about a checkpoint and its sources, each with a stable code, never reused."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]

CODES: dict[str, tuple[Severity, str]] = {
    "HF101": ("error", "a file cannot be read as what it should be"),
    "HF102": ("error", "a file has a format newer than this release knows"),
    "HF103": ("error", "a file and its checksum do not agree"),
    "HF104": ("warning", "batches are missing in the middle of a log"),
    "HF105": ("info", "no checksum covers these files: read, but not verified"),
    "HF106": ("error", "metadata is missing although batches were planned"),
    "HF107": ("error", "commits/ is ahead of offsets/"),
    "HF108": ("warning", "commits/ trails offsets/ by more than one batch"),
    "HF109": ("error", "commits/ has batches and offsets/ has none"),
    "HF110": ("error", "the plan before the newest one is missing"),
    "HF111": ("error", "the state of the last finished batch cannot be loaded"),
    "HF112": ("warning", "the state of some retained batches cannot be loaded"),
    "HF113": ("info", "temporary files were left behind"),
    "HF114": ("warning", "an entry that is no plain file was not looked at"),
    "HF115": ("warning", "a path stored inside points outside this checkpoint: it was moved"),
    "HF116": ("warning", "the position of a source is not complete JSON"),
    "HF117": ("warning", "the number of sources changed between batches"),
    "HF118": ("error", "a RocksDB snapshot lacks files that it refers to"),
    "HF119": ("info", "an entry that Spark does not know"),
    "HF120": ("info", "a different folder was meant and taken"),
    "HF121": ("info", "not everything was checked"),
    "HF122": ("warning", "a checkpoint lies inside another one"),
    "HF123": ("error", "two checkpoints have the same query id: one is a copy"),
    "HF124": ("warning", "looks like a checkpoint and is not whole"),
    "HF125": ("warning", "a file is missing from the log of a file source"),
    "HF126": ("error", "a state directory is missing although the query is stateful"),
    "HF127": ("warning", "only some batches were written down: asynchronous progress tracking"),
    "HF128": ("error", "a log file was altered after it was sealed"),
    "HF129": ("error", "a record of Holdfast's own cannot be read"),
    "HF130": ("warning", "lines of Holdfast's own records are damaged and were passed over"),
    "HF131": ("error", "a job could not be looked at"),
    "HF132": ("error", "the very first plan was cut off while it was written"),
    "HF133": ("error", "no plan is there, but what is left of the very first commit"),
    "HF301": ("error", "a source no longer has what was not read yet"),
    "HF302": ("error", "a source is another one than the position was stored for"),
    "HF303": ("error", "a stored position lies past the end of its source"),
    "HF304": ("error", "input files that a restart will read are gone or were changed"),
    "HF305": ("warning", "a source could not be asked"),
    "HF306": ("warning", "retention will soon remove what was not read yet"),
    "HF307": ("info", "input files that were read already are gone or were changed"),
    "HF308": ("info", "what the figures about a source do not say"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding: what, where, how bad."""

    code: str
    message: str
    path: str = ""

    @property
    def severity(self) -> Severity:
        """How bad, by code."""
        return CODES[self.code][0]


def is_wrong(warnings: tuple[Finding, ...]) -> bool:
    """Say whether anything is wrong with the checkpoint, beyond being odd."""
    return any(warning.severity == "error" for warning in warnings)
