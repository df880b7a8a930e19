"""Read the seals beside a checkpoint, as many as its logs may need; loaded where there are any."""

from dataclasses import dataclass, field

from holdfast.core.finding import Finding
from holdfast.core.recording.seal import Seal, decode_seal, digest, sealed_digests
from holdfast.core.recording.segment import SEALS, segment_names
from holdfast.errors import HoldfastError
from holdfast.flows.records.segment_reading import ReadableRecords, read_segment

__all__ = ["SealedFiles", "digest", "read_seals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedFiles:
    """What seals say of the files of a checkpoint, by path, and what is odd about the seals."""

    digests: dict[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def read_seals(records: ReadableRecords, *, oldest: int) -> SealedFiles:
    """The seals of every batch from `oldest` on; reads newest segments first, and no more."""
    try:
        names = segment_names(records.names(SEALS))
    except HoldfastError as error:
        text = f"the seals beside this checkpoint could not be looked at: {error.message}"
        return SealedFiles(findings=(Finding(code="HF121", message=text),))
    seals: list[Seal] = []
    damaged = 0
    for name in reversed(names):
        read = read_segment(records, f"{SEALS}/{name}")
        found = [seal for line in read.lines if (seal := decode_seal(line)) is not None]
        damaged += read.damaged + len(read.lines) - len(found)
        seals[:0] = found
        if found and found[0].batch <= oldest:
            break
    return SealedFiles(
        digests=sealed_digests(seals), findings=tuple(_damaged(damaged) if damaged else ())
    )


def _damaged(lines: int) -> list[Finding]:
    seals = "1 seal is" if lines == 1 else f"{lines:,} seals are"
    text = f"{seals} damaged, beside this checkpoint: what they cover counts as unverified"
    return [Finding(code="HF130", message=text)]
