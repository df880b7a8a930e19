"""A seal: our digest of the log files of one batch, taken when the batch had just been committed.

Spark leaves `offsets/`, `commits/` and `metadata` without any checksum on object stores, and
Hadoop's on a disk is easily rewritten together with its file. A seal lies beside the checkpoint and
says what the files held. It guards against accidents and careless hands; who can write to both
places can forge both.
"""

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from holdfast.core.fact import Content
from holdfast.core.parts import METADATA

_DIGEST_DIGITS: Final = 64
_HEX: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """SHA-256 of the three files of one batch, in hexadecimal."""

    batch: int
    offsets: str
    commits: str
    metadata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SealCheck:
    """Files held against their seals, by path below the checkpoint."""

    agreeing: tuple[str, ...]
    altered: tuple[str, ...]


def digest(data: bytes) -> str:
    """What a seal keeps of a file."""
    return hashlib.sha256(data).hexdigest()


def make_seal(batch: int, *, offsets: bytes, commits: bytes, metadata: bytes) -> Seal:
    """Seal a batch by the bytes of its files."""
    return Seal(
        batch=batch, offsets=digest(offsets), commits=digest(commits), metadata=digest(metadata)
    )


def encode_seal(seal: Seal) -> dict[str, Any]:
    """A seal as a line of a segment, with a checksum of itself.

    A seal that lies badly must not accuse a log file that is whole.
    """
    return {**asdict(seal), "check": _check(seal)}


def decode_seal(line: Mapping[str, Any]) -> Seal | None:
    """Read a seal back; None where it is damaged or is something else."""
    batch = line.get("batch")
    digests = [line.get(part) for part in ("offsets", "commits", METADATA)]
    if type(batch) is not int or batch < 0 or not all(map(_is_digest, digests)):
        return None
    offsets, commits, metadata = map(str, digests)
    seal = Seal(batch=batch, offsets=offsets, commits=commits, metadata=metadata)
    return seal if line.get("check") == _check(seal) else None


def sealed_digests(seals: Iterable[Seal]) -> dict[str, str]:
    """What each sealed file must hold, by path; later seals win over earlier ones.

    A batch that was run again after its log was put back is sealed again.
    """
    result: dict[str, str] = {}
    for seal in seals:
        result[f"offsets/{seal.batch}"] = seal.offsets
        result[f"commits/{seal.batch}"] = seal.commits
        result[METADATA] = seal.metadata
    return result


def check_seals(seals: Iterable[Seal], contents: Mapping[str, Content]) -> SealCheck:
    """Hold files against their seals; what no seal covers or could not be read is left out."""
    agreeing: list[str] = []
    altered: list[str] = []
    for path, wanted in sealed_digests(seals).items():
        content = contents.get(path)
        if isinstance(content, bytes):
            (agreeing if digest(content) == wanted else altered).append(path)
    return SealCheck(agreeing=tuple(agreeing), altered=tuple(altered))


def _check(seal: Seal) -> str:
    text = f"{seal.batch} {seal.offsets} {seal.commits} {seal.metadata}"
    return f"{zlib.crc32(text.encode()):08x}"


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == _DIGEST_DIGITS and set(value) <= _HEX
